import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { unservedLines } from '../../../infra/monitoring/wallets.ts';
import {
  type WalletEventType,
  walletEventTypes,
} from '../../../lib/billing/rules/wallet-events.ts';
import {
  balanceOf,
  historyOf,
  hold,
  openingWallet,
  putEvent,
  spend,
} from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { matches } from '../../support/filter-pattern.ts';
import { provision } from '../../support/organization.ts';

const end = '2099-01-01T00:00:00Z';
const line = { from: '2098-01-01T00:00:00Z', until: end, monthly_grant_stars: 70, tier: 'big' };

/** A content of each type, and the balance after it of a wallet that had 40 monthly and 25 pack stars and spent 5. */
const contents: Record<WalletEventType, [content: object, balance: object]> = {
  'subscription.paid': [
    { lines: [line] },
    {
      monthly_stars: 35,
      next_grant: { at: '2098-01-01T00:00:00.000Z', stars: 70 },
      subscription: {
        tier: 'pro',
        status: 'active',
        current_period_end: '2099-01-01T00:00:00.000Z',
      },
    },
  ],
  'subscription.changed': [{ status: 'past_due' }, { subscription: { status: 'past_due' } }],
  'subscription.canceled': [{}, { monthly_stars: 35, subscription: { status: 'canceled' } }],
  'subscription.reversed': [{ paid: 'paid' }, { monthly_stars: 35, next_grant: null }],
  'pack.purchased': [
    { stars: 7, expires_at: end },
    { monthly_stars: 35, pack_stars: 32 },
  ],
  'pack.reversed': [
    { purchase: 'bought', stars: 4 },
    { monthly_stars: 35, pack_stars: 25, owed_stars: 0 },
  ],
  'stars.spent': [
    { stars: 36, feature: 'enrich', spender: 'job:17' },
    { monthly_stars: 0, pack_stars: 24 },
  ],
  'stars.refunded': [
    { stars: 2, refunds: 'spent', reason: 'The lead was known' },
    { monthly_stars: 37, pack_stars: 25 },
  ],
  'stars.adjusted': [
    { pack_change: -5, reason: 'Given twice' },
    { monthly_stars: 35, pack_stars: 20 },
  ],
};

test.each(walletEventTypes)(
  '%s does what it does from the bus, and is one with it',
  async (type) => {
    const organization = await provision(openingWallet(40, 25));
    await spend(organization, 5, { event_id: 'spent' });
    const before = {
      'pack.reversed': [{ event_id: 'bought', type: 'pack.purchased', stars: 4 }],
      'subscription.reversed': [{ event_id: 'paid', type: 'subscription.paid', lines: [line] }],
    };
    const first = before[type as keyof typeof before] ?? [];
    for (const one of first) await putEvent(organization, one);
    const [content, balance] = contents[type];
    const event = { event_id: 'a:b', type, ...content };
    const made = await putEvent(organization, event);
    expect([made.status, made.body]).toEqual([
      201,
      { event_id: 'a:b', type, balance: expect.objectContaining({}) },
    ]);
    expect(made.body.balance).toMatchObject(balance);
    expect(await balanceOf(organization)).toMatchObject(balance);
    expect((await historyOf(organization)).at(-1)).toMatchObject({ type, event_id: 'a:b' });
    const repeat = await putEvent(organization, event);
    expect([repeat.status, repeat.body]).toEqual([200, made.body]);
    expect(await deliver([bodyOf(organization, event)])).toEqual([]);
    expect((await historyOf(organization)).length).toBe(3 + first.length);
    const byBus = { ...event, event_id: 'by-bus', ...(type === 'stars.spent' && { stars: 1 }) };
    expect(await deliver([bodyOf(organization, byBus)])).toEqual([]);
    expect((await putEvent(organization, byBus)).status).toBe(200);
    expect((await historyOf(organization)).length).toBe(4 + first.length);
  },
);

test('a spend by its own route is the same event', async () => {
  const organization = await provision(openingWallet(0, 10));
  const spent = { event_id: 'one', stars: 2, feature: 'f' };
  await spend(organization, 2, spent);
  expect((await putEvent(organization, { type: 'stars.spent', ...spent })).status).toBe(200);
  const other = { event_id: 'two', stars: 3, reason: 'r' };
  await putEvent(organization, { type: 'stars.spent', ...other });
  expect((await spend(organization, 3, other)).status).toBe(200);
});

test('an event with an id that was used for something else is refused', async () => {
  const organization = await provision(openingWallet(0, 10));
  const pack = { event_id: 'one', type: 'pack.purchased', stars: 5 };
  await putEvent(organization, pack);
  for (const change of [{ expires_at: end }, { type: 'stars.spent' }]) {
    const { status, body } = await putEvent(organization, { ...pack, ...change });
    expect([status, body.error.code]).toEqual([409, 'event_id_reused']);
  }
  expect((await hold(organization, 'one', 1)).body.error.code).toBe('event_id_reused');
  expect((await balanceOf(organization)).total_stars).toBe(15);
});

test('an event that spends more stars than there are takes none', async () => {
  const organization = await provision(openingWallet(0, 3));
  const { status, body } = await putEvent(organization, { type: 'stars.spent', stars: 4 });
  expect([status, body.error.code]).toEqual([402, 'insufficient_stars']);
  expect(body.error.details).toMatchObject([{ path: 'stars', available_stars: 3 }]);
  expect((await putEvent(organization, { type: 'stars.spent', stars: 3 })).status).toBe(201);
});

// What the fields of each type may be: test/unit/billing/rules/wallet-events.test.ts.
test.each<[string, Record<string, unknown>, string]>([
  [
    'the organization in the body',
    { type: 'pack.purchased', stars: 1, organization_id: 'x' },
    'organization_id',
  ],
  ['a refund of nothing', { type: 'stars.refunded', stars: 1, refunds: 'none' }, 'refunds'],
  ['a status of no subscription', { type: 'subscription.canceled' }, 'type'],
])('an event is refused because of %s', async (_name, event, path) => {
  const organization = await provision({ wallet: { pack_stars: 10 } });
  const { status, body } = await putEvent(organization, event);
  expect([status, body.error.code, body.error.details[0].path]).toEqual([
    400,
    'invalid_request',
    path,
  ]);
  expect((await historyOf(organization)).length).toBe(1);
});

test('a payment has one purchase, also where several come at once or of several organizations', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const payment = `pi_${organization.id}`;
  const buy = (one: typeof organization, event_id: string) =>
    putEvent(one, { type: 'pack.purchased', event_id, stars: 5, payment, amount: 490 });
  const answers = await Promise.all([
    ...['a', 'b'].map((id) => buy(organization, id)),
    ...['a', 'b'].map((id) => buy(other, id)),
  ]);
  const [made, ...refused] = answers.sort((a, b) => a.status - b.status);
  expect(made?.status).toBe(201);
  for (const { status, body } of refused) {
    expect([status, body.error.details]).toEqual([
      400,
      [{ path: 'payment', message: 'is that of another event' }],
    ]);
  }
  const balances = await Promise.all([organization, other].map(balanceOf));
  expect(balances.map(({ pack_stars }) => pack_stars).sort()).toEqual([0, 5]);
  // In one delivery of the bus, too.
  const twice = ['x', 'y'].map((event_id) =>
    bodyOf(other, { event_id, type: 'pack.purchased', stars: 1, payment: `${payment}-2` }),
  );
  expect((await deliver(twice)).length).toBe(1);
});

test('a purchase is reversed by the platform and by the bus alike, and not by a stranger’s name of it', async () => {
  const [organization, other] = await Promise.all([provision(openingWallet(0, 10)), provision()]);
  await putEvent(organization, { event_id: 'p', type: 'pack.purchased', stars: 50 });
  const reversed = { type: 'pack.reversed', purchase: 'p', source: 're_1', stars: 20 };
  expect((await putEvent(other, reversed)).body.error.details).toEqual([
    { path: 'purchase', message: 'is not a purchase that is known' },
  ]);
  expect((await putEvent(organization, reversed)).body.balance).toMatchObject({ pack_stars: 40 });
  expect(await deliver([bodyOf(organization, { ...reversed, event_id: 'again' })])).toEqual([]);
  await spend(organization, 40);
  const dispute = { ...reversed, source: 'dp_1', stars: 30, claw_back: true };
  const { body } = await putEvent(organization, dispute);
  expect(body.balance).toMatchObject({ pack_stars: 0, available_stars: 0, owed_stars: 30 });
  expect((await spend(organization, 1)).status).toBe(402);
  const won = { ...dispute, stars: 0, occurred_at: '2026-01-01T00:00:00Z' };
  expect((await putEvent(organization, won)).body.balance).toMatchObject({ owed_stars: 0 });
});

test('what is paid for a time that is over, while no month runs, gives nothing, and the log says so', async () => {
  const organization = await provision();
  const over = { ...line, from: '2020-01-01T00:00:00Z', until: '2020-02-01T00:00:00Z' };
  const paid = (event_id: string, one: object) => ({
    event_id,
    type: 'subscription.paid',
    lines: [one],
  });
  const { status, body } = await putEvent(organization, paid('late', over));
  expect([status, body.balance.total_stars]).toEqual([201, 0]);
  expect(await deliver([bodyOf(organization, paid('late-by-bus', over))])).toEqual([]);
  await putEvent(organization, paid('early', line));
  expect((await historyOf(organization)).map(({ stars }) => stars)).toEqual([0, 0, 0]);
  // As the metric filter of the alarm finds them.
  const found = readFileSync(inject('service').logFile, 'utf8')
    .split('\n')
    .filter((one) => one.includes(organization.id))
    .map((one) => JSON.parse(one))
    .filter((one) => matches(unservedLines, one));
  expect(found.map(({ message }) => message.event_id)).toEqual(['late', 'late-by-bus']);
});
