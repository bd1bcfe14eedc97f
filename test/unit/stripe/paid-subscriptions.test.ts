import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stripeEvent, versions } from '../../support/stripe-events.ts';
import { added, anHour, credited, isoOf, Scenario, whole } from './scenario.ts';

// What a customer expects of each thing that can happen to a subscription, counted by hand: what was paid for a day gives that
// day's stars, and nothing else does. Plan basic: 310 stars a month, 10 a day; pro: 930, 30 a day.

beforeEach(() => {
  vi.stubEnv('STRIPE_LIVEMODE', 'false');
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

type Life = (it: Scenario) => Promise<void>;

const start = (it: Scenario, ...lines: ReturnType<typeof whole>[]) =>
  it.invoice(lines[0]?.from ?? 0, { reason: 'subscription_create', lines });
const basic = (it: Scenario) => start(it, whole('basic', 0, 31));
const pro = (it: Scenario) => start(it, whole('pro', 0, 31));
const cycle = (it: Scenario, day: number, ...lines: ReturnType<typeof whole>[]) =>
  it.invoice(day, { reason: 'subscription_cycle', lines });
const update = (it: Scenario, day: number, ...lines: ReturnType<typeof whole>[]) =>
  it.invoice(day, { reason: 'subscription_update', lines });

const otherSubscription = 'subscription_id is not that of the subscription';

const lives: Record<string, Life> = {
  'a start: its stars, until the end of the period and the two hours in which Stripe charges':
    async (it) => {
      await it.status(0, 'incomplete', { type: 'created', comesTo: 'ignored' });
      await basic(it);
      await it.status(0, 'active');
      await it.has(0, { monthly_stars: 310, status: 'active', tier: 'basic', ends: 31 });
      await it.has(31 + 119 / 1440, 310);
      await it.has(31 + 120 / 1440, 0);
    },

  'a renewal that Stripe charges an hour late: no moment without stars, and what was left lapses':
    async (it) => {
      await basic(it);
      await it.spend(5, 100);
      await it.has(31, 210);
      await cycle(it, 31 + anHour, whole('basic', 31, 62));
      await it.has(31 + anHour, { monthly_stars: 310, monthly_grant_stars: 310, ends: 62 });
    },

  'three seats: three times the stars': async (it) => {
    await start(it, whole('basic', 0, 31, { quantity: 3, amount: 6000 }));
    await it.has(0, 930);
  },

  'two plans in one subscription: the stars of both, and the greater is the tier': async (it) => {
    await start(it, whole('basic', 0, 31), whole('pro', 0, 31));
    await it.has(0, { monthly_stars: 1240, tier: 'pro' });
  },

  'a plan beside something that gives no stars': async (it) => {
    await start(it, whole('setup_fee', 0, 0.001), whole('basic', 0, 31));
    await it.has(0, 310);
  },

  'an upgrade in the portal, invoiced at once: 20 more for each of ten days': async (it) => {
    await basic(it);
    await it.status(21, 'active', { price: 'price_pro' });
    await it.has(21, 310);
    await update(it, 21, credited('basic', 21, 31), added('pro', 21, 31));
    await it.has(21, { monthly_stars: 510, tier: 'pro', ends: 31 });
    await cycle(it, 31 + anHour, whole('pro', 31, 62));
    await it.has(32, 930);
  },

  'an upgrade that fails gives nothing until it is paid': async (it) => {
    await basic(it);
    for (const status of ['past_due', 'unpaid'] as const) {
      await it.status(21, status, { price: 'price_pro' });
      await it.has(21, { monthly_stars: 310, status, tier: 'basic' });
    }
    await it.status(22, 'incomplete', { price: 'price_pro', comesTo: 'ignored' });
    await it.has(24, 310);
    await update(it, 25, credited('basic', 21, 31), added('pro', 21, 31));
    await it.has(25, 510);
  },

  'an upgrade with create_prorations: its ten days come with the next invoice': async (it) => {
    await basic(it);
    await it.status(21, 'active', { price: 'price_pro' });
    await it.has(31, 310);
    const prorations = [credited('basic', 21, 31), added('pro', 21, 31)];
    await cycle(it, 31 + anHour, ...prorations, whole('pro', 31, 62));
    await it.has(32, 1130);
  },

  'an upgrade on the last day: one day of it': async (it) => {
    await basic(it);
    await update(it, 30, credited('basic', 30, 31), added('pro', 30, 31));
    await it.has(30, 330);
  },

  'a downgrade on the last day, with credit: one day of it': async (it) => {
    await pro(it);
    await it.invoice(30, {
      reason: 'subscription_update',
      lines: [credited('pro', 30, 31), added('basic', 30, 31)],
      total: -40,
    });
    await it.has(30, 910);
    await cycle(it, 31 + anHour, whole('basic', 31, 62));
    await it.has(32, { monthly_stars: 310, tier: 'basic' });
  },

  'up, down and up again: 15 days of basic and 16 of pro': async (it) => {
    await basic(it);
    await update(it, 10, credited('basic', 10, 31), added('pro', 10, 31));
    await it.has(10, 730);
    await update(it, 15, credited('pro', 15, 31), added('basic', 15, 31));
    await it.has(15, 410);
    await update(it, 20, credited('basic', 20, 31), added('pro', 20, 31));
    await it.has(20, 630);
  },

  'up, all spent, and down again: what was given back is owed': async (it) => {
    await basic(it);
    await update(it, 15, credited('basic', 15, 31), added('pro', 15, 31));
    await it.has(15, 630);
    await it.spend(16, 630);
    await update(it, 20, credited('pro', 20, 31), added('basic', 20, 31));
    await it.has(20, { monthly_stars: 0, owed_stars: 220 });
    await cycle(it, 31 + anHour, whole('basic', 31, 62));
    await it.has(32, { monthly_stars: 90, owed_stars: 0 });
  },

  'two seats more for ten days, and one less for the last five': async (it) => {
    await basic(it);
    await update(it, 21, credited('basic', 21, 31), added('basic', 21, 31, { quantity: 3 }));
    await it.has(21, 510);
    const less = credited('basic', 26, 31, { quantity: 3 });
    await update(it, 26, less, added('basic', 26, 31, { quantity: 2 }));
    await it.has(26, 460);
  },

  'a year: twelve months of 310, and nothing after them': async (it) => {
    await start(it, whole('basic_year', 0, 365, { amount: 20_000 }));
    await it.has(0, { monthly_stars: 310, ends: 365 });
    await it.spend(1, 300);
    await it.has(30, 10);
    await it.has(31, { monthly_stars: 310, next_grant: { at: isoOf(62), stars: 310 } });
    await it.has(364, { monthly_stars: 310, next_grant: null });
    await it.has(366, 0);
  },

  'month to year, back, and to a year again: no more than was paid for each day': async (it) => {
    await basic(it);
    await it.spend(5, 310);
    // Ten days of the month: 100. The year's first month: 310, of which 210 pay what was spent beyond.
    await update(it, 10, credited('basic', 10, 31), whole('basic_year', 10, 375));
    await it.has(10, { monthly_stars: 100, owed_stars: 0, ends: 375 });
    await it.spend(12, 100);
    // Five days of the year: 50, of 310 that were given.
    await update(it, 15, credited('basic_year', 15, 375), whole('basic', 15, 46));
    await it.has(15, { monthly_stars: 50, owed_stars: 0, ends: 46 });
    await update(it, 15, credited('basic', 15, 46), whole('basic_year', 15, 380));
    await it.has(15, { monthly_stars: 50, owed_stars: 0, ends: 380 });
  },

  'an item that is swapped for one of another plan': async (it) => {
    await start(it, whole('basic', 0, 31), whole('pro', 0, 31));
    await update(it, 21, credited('basic', 21, 31), added('pro', 21, 31));
    await it.has(21, 1440);
  },

  'a first period of twelve days, up to an anchor: twelve days of the month': async (it) => {
    await start(it, whole('basic', 19, 31, { proration: true, amount: 774 }));
    await it.has(19, { monthly_stars: 120, ends: 31 });
    await cycle(it, 31 + anHour, whole('basic', 31, 62));
    await it.has(32, 310);
  },

  'a backdated start: what was paid for the time before comes at once': async (it) => {
    // Ten days of November, which has 30: a third of 310. Then December's 310.
    await it.invoice(0, {
      reason: 'subscription_create',
      lines: [whole('basic', -10, 0, { proration: true, amount: 667 }), whole('basic', 0, 31)],
    });
    await it.has(0, 413);
  },

  'a start that is backdated to the beginning of the running month': async (it) => {
    await it.invoice(10, { reason: 'subscription_create', lines: [whole('basic', 0, 31)] });
    await it.has(10, { monthly_stars: 310, ends: 31 });
  },

  'a trial: its own stars until its end, and then the first month that is paid': async (it) => {
    await start(it, whole('basic', 0, 14, { amount: 0 }));
    await it.status(0, 'trialing');
    await it.has(0, { monthly_stars: 50, status: 'trialing', ends: 14 });
    await it.has(14 + anHour, 50);
    await cycle(it, 14 + anHour, whole('basic', 14, 45));
    await it.has(15, 310);
  },

  'a trial that is not paid after: nothing stays': async (it) => {
    await start(it, whole('basic', 0, 14, { amount: 0 }));
    await it.status(14, 'past_due');
    await it.has(15, { monthly_stars: 0, status: 'past_due' });
  },

  'a trial that is ended early': async (it) => {
    await start(it, whole('basic', 0, 14, { amount: 0 }));
    await it.spend(3, 20);
    await update(it, 7, whole('basic', 7, 38));
    await it.has(7, { monthly_stars: 310, owed_stars: 0, ends: 38 });
  },

  'a trial that is extended keeps what is left of it, and gets no more': async (it) => {
    await start(it, whole('basic', 0, 14, { amount: 0 }));
    await it.spend(3, 20);
    await update(it, 10, whole('basic', 10, 28, { amount: 0 }));
    await it.has(10, { monthly_stars: 30, ends: 28 });
    await it.has(27, 30);
    await it.has(29, 0);
  },

  'a trial that is canceled, and begun again: no second one, and what is paid then counts': async (
    it,
  ) => {
    await start(it, whole('basic', 0, 14, { amount: 0 }));
    await it.spend(3, 50);
    await it.status(5, 'canceled', { type: 'deleted' });
    it.subscription = it.newSubscription();
    await start(it, whole('basic', 6, 20, { amount: 0 }));
    await it.status(6, 'trialing');
    await it.has(6, { monthly_stars: 0, status: 'trialing' });
    await cycle(it, 20 + anHour, whole('basic', 20, 51));
    await it.has(21, 310);
  },

  'a trial of a plan without trial_stars: the tier, and no stars': async (it) => {
    await start(it, whole('pro', 0, 14, { amount: 0 }));
    await it.has(0, { monthly_stars: 0, tier: 'pro', ends: 14 });
  },

  'a coupon of 100 %, also on an upgrade: it counts as paid': async (it) => {
    const lines = [whole('basic', 0, 31, { discount: 2000 })];
    await it.invoice(0, { reason: 'subscription_create', lines, total: 0 });
    await it.has(0, 310);
    const upgrade = [
      credited('basic', 21, 31, { discount: 700 }),
      added('pro', 21, 31, { discount: 700 }),
    ];
    await it.invoice(21, { reason: 'subscription_update', lines: upgrade, total: 0 });
    await it.has(21, 510);
  },

  'paused after a trial, and resumed: nothing while nothing is paid': async (it) => {
    await start(it, whole('basic', 0, 14, { amount: 0 }));
    await it.status(14, 'paused', { type: 'paused' });
    await it.has(20, { monthly_stars: 0, status: 'paused' });
    await it.status(20, 'active', { type: 'resumed' });
    await update(it, 20, whole('basic', 20, 51));
    await it.has(20, { monthly_stars: 310, status: 'active' });
  },

  'a month whose collection is paused: no invoice is paid, so nothing comes': async (it) => {
    await basic(it);
    await it.has(40, { monthly_stars: 0 });
    await cycle(it, 62 + anHour, whole('basic', 62, 90));
    await it.has(63, 310);
  },

  'canceled without credit: the stars stay until the end of the period': async (it) => {
    await basic(it);
    await it.status(10, 'canceled', { type: 'deleted' });
    await it.has(30, { monthly_stars: 310, status: 'canceled' });
    await it.has(32, 0);
  },

  'canceled with credit: what was given back goes, and what is missing is owed': async (it) => {
    await basic(it);
    await it.spend(5, 150);
    await it.invoice(10, {
      reason: 'subscription_update',
      lines: [credited('basic', 10, 31)],
      total: -1355,
    });
    await it.status(10, 'canceled', { type: 'deleted' });
    await it.has(10, { monthly_stars: 0, owed_stars: 50, status: 'canceled' });
  },

  'a second subscription beside the first: a dead letter, and after the first it counts': async (
    it,
  ) => {
    await basic(it);
    it.subscription = it.newSubscription();
    const lines = [whole('pro', 10, 41)];
    await it.invoice(10, {
      reason: 'subscription_create',
      lines,
      comesTo: otherSubscription,
    });
    await it.has(10, { monthly_stars: 310, tier: 'basic' });
    // Sent again after the first has ended, as the runbook says.
    await it.repeat(32);
    await it.has(32, { monthly_stars: 930, tier: 'pro' });
  },

  'an invoice that comes before its plan: a dead letter, and its stars once it is there': async (
    it,
  ) => {
    await it.invoice(0, {
      reason: 'subscription_create',
      lines: [whole('max', 0, 31)],
      comesTo: 'lines have no price that a plan names',
    });
    await it.world.putPlan('max', { monthly_grant_stars: 1550, stripe_prices: ['price_max'] });
    await it.repeat(1);
    await it.has(1, { monthly_stars: 1550, tier: 'max' });
  },

  'a quote that was accepted': async (it) => {
    await it.invoice(0, { reason: 'quote_accept' as never, lines: [whole('basic', 0, 31)] });
    await it.has(0, 310);
  },

  'prorations that are invoiced by hand': async (it) => {
    await basic(it);
    const lines = [credited('basic', 21, 31), added('pro', 21, 31)];
    await it.invoice(22, { reason: 'manual', lines });
    await it.has(22, 510);
  },

  'eleven lines, of which the event has ten: a dead letter': async (it) => {
    await it.invoice(0, {
      reason: 'subscription_create',
      lines: Array.from({ length: 10 }, () => whole('basic', 0, 31)),
      hasMore: true,
      comesTo: 'lines.has_more must be false: the event leaves lines out',
    });
    await it.has(0, 0);
  },

  'a plan that is edited between repeats: stars are fixed when they are given': async (it) => {
    await basic(it);
    await it.world.putPlan('basic', { monthly_grant_stars: 999, stripe_prices: ['price_basic'] });
    await it.repeat(1);
    await it.has(1, 310);
    await it.world.putPlan('basic', { monthly_grant_stars: 999, stripe_prices: [] });
    await it.repeat(2);
    await it.has(2, 310);
  },

  'an invoice that is paid long after its period, while a later one runs: its stars come now':
    async (it) => {
      await basic(it);
      await cycle(it, 62 + anHour, whole('basic', 62, 90));
      // January, which has 31 days, in months counted back from February 1st.
      await cycle(it, 70, whole('basic', 31, 62));
      await it.has(70, { monthly_stars: 620, ends: 90 });
    },

  'an invoice that is paid after its period, with nothing after it: an entry of 0, and an alarm':
    async (it) => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
      await it.invoice(40, { reason: 'subscription_create', lines: [whole('basic', 0, 31)] });
      await it.has(40, 0);
      expect(warn).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ outcome: 'unserved', event_id: it.eventId }),
      );
    },

  'a refund of all: what is left of the month goes': async (it) => {
    await basic(it);
    await it.spend(5, 100);
    await it.refund(10, 2000);
    await it.has(10, 0);
    await it.has(32, 0);
  },

  'a refund of a half: half of the month, and what was spent of that is forgiven': async (it) => {
    await basic(it);
    await it.refund(10, 1000);
    await it.has(10, 155);
    await it.spend(11, 155);
    await it.refund(12, 999);
    await it.has(12, { monthly_stars: 0, owed_stars: 0 });
  },

  'a refund that fails: its stars come back': async (it) => {
    await basic(it);
    await it.refund(10, 1000);
    await it.refund(11, 1000, { status: 'failed' });
    await it.has(11, 310);
  },

  'a dispute takes what was spent, too; one that is won gives it back': async (it) => {
    await basic(it);
    await it.spend(5, 110);
    await it.dispute(10, 20);
    await it.has(20, { monthly_stars: 200, owed_stars: 0 });
  },

  'a dispute that stays: what was spent is owed': async (it) => {
    await basic(it);
    await it.spend(5, 110);
    await it.dispute(10);
    await it.has(10, { monthly_stars: 0, owed_stars: 110 });
  },

  'a year, of which three months have gone, refunded by a half: half of each month to come': async (
    it,
  ) => {
    await start(it, whole('basic_year', 0, 365));
    await it.has(90, 310);
    await it.refund(91, 1000);
    await it.has(91, 155);
    await it.has(122, 155);
  },
};

describe.each(versions)('by the API version %s', (version) => {
  test.each(Object.entries(lives))('%s', async (_name, life) => {
    await life(await Scenario.begin(version));
  });
});

test('an invoice that was paid by two payments: each refund takes its part', async () => {
  const it = await Scenario.begin(versions[1]);
  await it.invoice(0, { reason: 'subscription_create', lines: [whole('basic', 0, 31)] }, 2);
  await it.refund(10, 500, { of: 1 });
  await it.has(10, 232);
  await it.refund(11, 1000);
  await it.has(11, 77);
});

test('before 2025-03-31, a price tells that it counts otherwise: a dead letter', async () => {
  const [version] = versions;
  const odd = 'lines.data.0.price is that of a plan, and is metered or has transform_quantity';
  for (const more of [
    { transform_quantity: { divide_by: 10, round: 'up' as const } },
    { recurring: { usage_type: 'metered' } as never },
  ]) {
    const it = await Scenario.begin(version);
    const lines = [whole('basic', 0, 31, { odd: more })];
    await it.invoice(0, { reason: 'subscription_create', lines, comesTo: odd });
    await it.has(0, 0);
  }
});

test.each(versions)('by %s, a subscription tells that, too', async (version) => {
  const it = await Scenario.begin(version);
  const odd = { transform_quantity: { divide_by: 10, round: 'up' as const } };
  const comesTo = 'items is that of a plan, and is metered or has transform_quantity';
  await it.status(0, 'active', { price: 'price_basic', odd, comesTo });
  // A price of something else may count as it likes.
  await it.status(0, 'active', { price: 'price_storage', odd, comesTo: 'waiting' });
});

test.each(versions)('by %s, whose a subscription is, is kept once it is known', async (version) => {
  const it = await Scenario.begin(version);
  await basic(it);
  it.subscription = { ...it.subscription, metadata: {} };
  await cycle(it, 31 + anHour, whole('basic', 31, 62));
  await it.has(32, { ends: 62 });
});

test.each(versions)('by %s, what is ours in part is a dead letter', async (version) => {
  const it = await Scenario.begin(version);
  const nobody = { ...it.subscription, metadata: {} };
  const ours = it.subscription;
  it.subscription = nobody;
  const comesTo = 'metadata.organization_id of the subscription is missing';
  await it.invoice(0, { reason: 'subscription_create', lines: [whole('basic', 0, 31)], comesTo });
  // Neither our price nor our metadata: somebody else's.
  const other = [whole('other', 0, 31)];
  await it.invoice(0, { reason: 'subscription_create', lines: other, comesTo: 'ignored' });
  it.subscription = ours;
  const { type, data } = it.last!;
  const { lines: _, ...withoutLines } = data.object as { lines: unknown };
  await it.tell(1, type, withoutLines, 'lines is required');
  await it.has(1, 0);
});

test('an invoice of a connected account gives nothing', async () => {
  const it = await Scenario.begin(versions[1]);
  await basic(it);
  const event = stripeEvent('invoice.paid', it.last!.data.object, { account: 'acct_1' });
  expect(await it.world.tell(event)).toBe(
    'account is a connected account, whose sales give no stars',
  );
  await it.has(0, 310);
});
