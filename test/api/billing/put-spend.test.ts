import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { balanceOf, historyOf, hold, openingWallet, spend } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { provision } from '../../support/organization.ts';

test('a spend answers the balance after it, which is what everyone reads then', async () => {
  const organization = await provision(openingWallet(40, 25));
  const purpose = { reason: 'Enriched a lead', feature: 'enrich', spender: 'job:17' };
  const { status, body } = await spend(organization, 50, { event_id: 'a:b', ...purpose });
  expect([status, body]).toEqual([
    201,
    {
      event_id: 'a:b',
      stars: 50,
      ...purpose,
      balance: expect.objectContaining({ monthly_stars: 0, pack_stars: 15, total_stars: 15 }),
    },
  ]);
  const { as_of, ...balance } = await balanceOf(organization);
  expect(body.balance).toMatchObject(balance);
  expect(Date.parse(as_of)).toBeGreaterThanOrEqual(Date.parse(body.balance.as_of));
  expect((await historyOf(organization)).at(-1)).toMatchObject({
    type: 'stars.spent',
    ...purpose,
    monthly_change: -40,
    pack_change: -10,
  });
});

test('without enough stars nothing is spent or stored, and the same spend may succeed later', async () => {
  const organization = await provision(openingWallet(2, 3));
  const event_id = randomUUID();
  const { status, body } = await spend(organization, 6, { event_id });
  expect([status, body.error.code]).toEqual([402, 'insufficient_stars']);
  expect(body.error.details).toEqual([
    { path: 'stars', message: expect.any(String), available_stars: 5 },
  ]);
  expect((await historyOf(organization)).length).toBe(1);
  const purchase = bodyOf(organization, { type: 'pack.purchased', stars: 1 });
  expect(await deliver([purchase])).toEqual([]);
  expect((await spend(organization, 6, { event_id })).status).toBe(201);
});

test('a repeat spends nothing and gets the first answer, also when no star is left', async () => {
  const organization = await provision(openingWallet(0, 10));
  const event_id = randomUUID();
  const first = await spend(organization, 10, { event_id });
  const again = await spend(organization, 10, { event_id });
  expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
  expect((await historyOf(organization)).length).toBe(2);
});

test('20 repeats at once spend once and answer the same', async () => {
  const organization = await provision(openingWallet(0, 10));
  const event_id = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => spend(organization, 10, { event_id })),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
  expect((await historyOf(organization)).length).toBe(2);
});

test('an id that was used for something else is refused, and belongs to its organization', async () => {
  const [organization, other] = await Promise.all([
    provision(openingWallet(0, 10)),
    provision(openingWallet(0, 10)),
  ]);
  const event_id = randomUUID();
  await spend(organization, 1, { event_id });
  for (const change of [{ stars: 2 }, { feature: 'f' }, { spender: 's' }, { reason: 'r' }]) {
    const { status, body } = await spend(organization, 1, { event_id, ...change });
    expect([status, body.error.code]).toEqual([409, 'event_id_reused']);
  }
  expect((await hold(organization, event_id, 1)).body.error.code).toBe('event_id_reused');
  expect((await balanceOf(organization)).total_stars).toBe(9);
  expect((await spend(other, 2, { event_id })).status).toBe(201);
});

test('the same spend from the bus and by the API is one, whichever comes first', async () => {
  const organization = await provision(openingWallet(0, 10));
  const spent = { event_id: 'by-bus', stars: 2, feature: 'f' };
  expect(await deliver([bodyOf(organization, { type: 'stars.spent', ...spent })])).toEqual([]);
  const { status, body } = await spend(organization, 2, spent);
  expect([status, body.balance.total_stars]).toEqual([200, 8]);
  const other = { event_id: 'by-api', stars: 3, spender: 's' };
  expect((await spend(organization, 3, other)).status).toBe(201);
  expect(await deliver([bodyOf(organization, { type: 'stars.spent', ...other })])).toEqual([]);
  expect((await balanceOf(organization)).total_stars).toBe(5);
});

test('an id may be written with escapes in the path', async () => {
  const organization = await provision(openingWallet(0, 10));
  expect((await spend(organization, 1, { event_id: 'job%3A1' })).body.event_id).toBe('job:1');
  expect((await spend(organization, 1, { event_id: 'job:1' })).status).toBe(200);
  const { status, body } = await spend(organization, 1, { event_id: 'a%2Fb' });
  expect([status, body.error.details[0].path]).toEqual([400, 'event_id']);
  // The gateway refuses what is no escape by itself.
  const refused = await spend(organization, 1, { event_id: '%zz' });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request']);
});

describe('with not_after', () => {
  const past = '2026-01-01T00:00:00Z';
  const future = '2099-01-01T00:00:00Z';

  test('a try that is decided later is too late, and spends nothing', async () => {
    const organization = await provision(openingWallet(0, 10));
    const event_id = randomUUID();
    const late = await spend(organization, 1, { event_id, not_after: past });
    expect([late.status, late.body.error.code]).toEqual([409, 'too_late']);
    expect((await historyOf(organization)).length).toBe(1);
    expect((await spend(organization, 1, { event_id, not_after: future })).status).toBe(201);
    // It is no part of the content, and what was spent in time is answered at any time.
    for (const not_after of [past, undefined]) {
      expect((await spend(organization, 1, { event_id, not_after })).status).toBe(200);
    }
  });
});

test('monthly stars can’t be spent from the moment at which their period ends', async () => {
  // On a slow machine the first spend may come too late: then the period is made longer.
  const spendInPeriod = async (periodMs: number) => {
    const periodEnd = Date.now() + periodMs;
    const current_period_end = new Date(periodEnd).toISOString();
    const organization = await provision(openingWallet(40, 5, { current_period_end }));
    const { status, body } = await spend(organization, 1);
    const isInTime = status === 201 && Date.parse(body.balance.as_of) < periodEnd;
    if (!isInTime && periodMs < 60_000) return spendInPeriod(2 * periodMs);
    expect(body.balance.total_stars).toBe(44);
    return organization;
  };
  const organization = await spendInPeriod(1500);
  await eventually(
    () => balanceOf(organization),
    ({ monthly_stars }) => monthly_stars === 0,
  );
  expect((await spend(organization, 6)).status).toBe(402);
  expect((await spend(organization, 5)).body.balance.total_stars).toBe(0);
  expect((await historyOf(organization)).at(-1)).toMatchObject({
    monthly_lapsed: 39,
    monthly_change: 0,
    pack_change: -5,
  });
});

test.each<[string, Record<string, unknown>, string]>([
  ['no star', { stars: 0 }, 'stars'],
  ['half a star', { stars: 0.5 }, 'stars'],
  ['a negative number', { stars: -1 }, 'stars'],
  ['more than anyone spends', { stars: 1_000_000_000_001 }, 'stars'],
  ['an event_id that is too long', { event_id: 'x'.repeat(129) }, 'event_id'],
  ['an event_id with other characters', { event_id: 'a$b' }, 'event_id'],
  ['an unknown field', { color: 'red' }, 'color'],
  ['a feature with a space', { feature: 'a b' }, 'feature'],
  ['a time that is none', { not_after: 'soon' }, 'not_after'],
])('refuses %s', async (_name, fields, path) => {
  const organization = await provision(openingWallet(0, 10));
  const { status, body } = await spend(organization, 1, fields);
  expect([status, body.error.details[0].path]).toEqual([400, path]);
  expect((await historyOf(organization)).length).toBe(1);
});

test('what was spent can be read, with what came back of it', async () => {
  const organization = await provision(openingWallet(0, 10));
  const { body: first } = await spend(organization, 5, { event_id: 'one', feature: 'f' });
  const read = (id: string) => organization.get(`/billing/spends/${id}`, { role: 'billing' });
  const { balance, ...content } = first;
  const one = { ...content, refunded_stars: 0, spent_at: balance.as_of };
  expect((await read('one')).body).toEqual(one);
  const refund = { type: 'stars.refunded', refunds: 'one', stars: 2, event_id: 'refund' };
  expect(await deliver([bodyOf(organization, refund)])).toEqual([]);
  expect((await read('one')).body).toEqual({ ...one, refunded_stars: 2 });
  await hold(organization, 'held', 4, { spender: 's' });
  for (const id of ['refund', 'held', 'none']) expect((await read(id)).status).toBe(404);
  const ended = await organization.post('/billing/holds/held/capture', { stars: 3 });
  expect((await read('held')).body).toEqual({
    event_id: 'held',
    stars: 3,
    reason: null,
    feature: null,
    spender: 's',
    refunded_stars: 0,
    spent_at: ended.body.balance.as_of,
  });
});
