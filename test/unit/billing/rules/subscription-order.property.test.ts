import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toBalance } from '../../../../lib/billing/rules/balance.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/stored/wallet.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { iso, now, event as parse } from './wallets.ts';

// Events that tell their subscription and their time may come in any order. A run is repeated with its SEED.

const inDays = (days: number) => iso(now + days * 24 * 60 * 60 * 1000);

const kinds = [
  'start',
  'start again',
  'renew',
  'change',
  'cancel',
  'cancel the one before',
] as const;
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  grant: fc.constantFrom(10, 50, 100),
  longer: fc.boolean(),
  tellsGrant: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const firstStep: Step = { kind: 'start', grant: 100, longer: false, tellsGrant: true };
const steps = fc.array(step, { minLength: 1, maxLength: 6 });
const numRuns = times(500, 2000);

/** What happened, in its order: each period ends in the future. */
const eventsOf = (steps: readonly Step[]) => {
  let [id, days] = [0, 10];
  return steps.map(({ kind, grant, longer, tellsGrant }, i) => {
    if (kind === 'start') id++;
    if (longer) days += 10;
    const tier = `t${i}`;
    const current_period_end = inDays(days);
    const monthly_grant_stars = grant;
    const start = { type: 'subscription.started', tier, current_period_end, monthly_grant_stars };
    const fields = {
      start,
      'start again': start,
      renew: {
        type: 'subscription.renewed',
        current_period_end,
        ...(tellsGrant && { monthly_grant_stars }),
      },
      change: { type: 'subscription.changed', tier, monthly_grant_stars },
      cancel: { type: 'subscription.canceled' },
      'cancel the one before': { type: 'subscription.canceled' },
    }[kind];
    const isBefore = kind === 'cancel the one before' && id > 1;
    return parse({
      ...fields,
      event_id: `e${i}`,
      occurred_at: iso(now - 1000 + i),
      subscription_id: `s${isBefore ? id - 1 : id}`,
    });
  });
};
type Event = ReturnType<typeof eventsOf>[number];

/** The wallet after events that each arrive at a time, and what is still refused. What was comes again, as the queue does it. */
const arrive = (events: readonly Event[], timeOf: (i: number) => number, againAt: number) => {
  let wallet: Wallet = emptyWallet;
  const isRefused = (event: Event, clock: number): boolean => {
    const result = apply(wallet, event, clock);
    if (typeof result === 'string') return true;
    wallet = result.wallet;
    return false;
  };
  let waiting = events.filter((event, i) => isRefused(event, timeOf(i)));
  for (let tries = 1; tries <= 5; tries++) {
    waiting = waiting.filter((event) => isRefused(event, againAt));
  }
  return { wallet, waiting };
};

const delivered = (events: readonly Event[], tellsStatus: boolean) => {
  const { wallet, waiting } = arrive(events, () => now, now);
  const { id, tier, status, current_period_end } = wallet.subscription!;
  // Of a period that is known already, a renewal does not tell the status.
  const told = { id, tier, ...(tellsStatus && { status }), current_period_end };
  return { ...told, next: wallet.next_grant_stars ?? wallet.monthly_grant_stars, waiting };
};

/** Days after which every period of `eventsOf` is over: what starts at 10 has 7 steps of 10 more at most. */
const allOverDays = 90;

/** The balance after all periods, of events that arrive at these days, each no earlier than the one before. */
const balanceAfter = (events: readonly Event[], arrivalDays: readonly number[]) => {
  const at = (days: number) => Date.parse(inDays(days));
  const end = at(allOverDays);
  const { wallet, waiting } = arrive(events, (i) => at(arrivalDays[i]!), end);
  expect(waiting).toEqual([]);
  const { monthly_stars, monthly_grant_stars, total_stars, subscription } = toBalance(wallet, end);
  return { monthly_stars, monthly_grant_stars, total_stars, tier: subscription?.tier };
};

test(`after its period, a balance depends neither on the order of events nor on when they come (SEED=${seed})`, () => {
  const all = steps.chain((some) => {
    const events = eventsOf([firstStep, ...some]);
    const length = { minLength: events.length, maxLength: events.length };
    return fc.record({
      events: fc.constant(events),
      order: fc.shuffledSubarray(events, length),
      days: fc.array(fc.integer({ min: 0, max: allOverDays }), length),
    });
  });
  let reordered = 0;
  fc.assert(
    fc.property(all, ({ events, order, days }) => {
      if (order.some((event, i) => event !== events[i])) reordered++;
      const late = events.map(() => allOverDays);
      const expected = balanceAfter(events, late);
      expect(balanceAfter(order, late)).toEqual(expected);
      const arrivals = days.sort((a, b) => a - b);
      expect(balanceAfter(events, arrivals)).toEqual(expected);
      expect(balanceAfter(order, arrivals)).toEqual(expected);
    }),
    { seed, numRuns },
  );
  expect(reordered).toBeGreaterThan(numRuns / 2);
});

test(`the subscription that comes of events does not depend on their order (SEED=${seed})`, () => {
  const delays = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 7, maxLength: 7 });
  let reordered = 0;
  fc.assert(
    fc.property(steps, delays, (some, late) => {
      const events = eventsOf([firstStep, ...some]);
      const placed = events.map((event, i) => ({ event, at: i + 1.01 * late[i]! }));
      const order = placed.sort((a, b) => a.at - b.at).map(({ event }) => event);
      if (order.some((event, i) => event !== events[i])) reordered++;
      const tellsStatus = some.every(({ kind, longer }) => kind !== 'renew' || longer);
      const inOrder = delivered(events, tellsStatus);
      expect(delivered(order, tellsStatus)).toEqual({ ...inOrder, waiting: [] });
    }),
    { seed, numRuns },
  );
  expect(reordered).toBeGreaterThan(numRuns / 2);
});
