import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { balanceOf, historyOf, hold, openingWallet, spend } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
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
    at: body.balance.as_of,
    type: 'stars.spent',
    event_id: 'a:b',
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

test('20 repeats of a spend at once spend once and answer the same', async () => {
  const organization = await provision(openingWallet(0, 10));
  const event_id = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => spend(organization, 10, { event_id })),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
  expect((await historyOf(organization)).length).toBe(2);
});

test('a spend with an id that was used for something else is refused, and so is a hold', async () => {
  const organization = await provision(openingWallet(0, 10));
  await spend(organization, 1, { event_id: 'one' });
  for (const other of [
    await spend(organization, 2, { event_id: 'one' }),
    await hold(organization, 'one', 1),
  ]) {
    expect([other.status, other.body.error.code]).toEqual([409, 'event_id_reused']);
  }
  expect((await balanceOf(organization)).total_stars).toBe(9);
});

test('the id of a spend may be written with escapes in the path', async () => {
  const organization = await provision(openingWallet(0, 10));
  expect((await spend(organization, 1, { event_id: 'job%3A1' })).body.event_id).toBe('job:1');
  expect((await spend(organization, 1, { event_id: 'job:1' })).status).toBe(200);
  const { status, body } = await spend(organization, 1, { event_id: 'a%2Fb' });
  expect([status, body.error.details[0].path]).toEqual([400, 'event_id']);
  // The gateway refuses what is no escape by itself.
  const refused = await spend(organization, 1, { event_id: '%zz' });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request']);
});

test('a spend that is decided after its not_after is too late, and spends nothing', async () => {
  const [past, future] = ['2026-01-01T00:00:00Z', '2099-01-01T00:00:00Z'];
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
