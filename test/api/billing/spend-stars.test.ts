import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { balanceOf, historyOf, openingWallet } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { invoke, type Organization, provision } from '../../support/organization.ts';

const spend = (organization: Pick<Organization, 'id'>, stars: number, fields: object = {}) =>
  invoke('spendStars', {
    organization_id: organization.id,
    event_id: randomUUID(),
    stars,
    ...fields,
  });

test('a spend answers the balance after it, which is what everyone reads then', async () => {
  const organization = await provision(openingWallet(40, 25));
  const { payload } = await spend(organization, 50, { reason: 'Enriched a lead' });
  expect(payload).toMatchObject({
    spent: true,
    balance: { monthly_stars: 0, pack_stars: 15, total_stars: 15 },
  });
  const { as_of, ...balance } = await balanceOf(organization);
  expect(payload.balance).toMatchObject(balance);
  expect(Date.parse(as_of)).toBeGreaterThanOrEqual(Date.parse(payload.balance.as_of));
  expect((await historyOf(organization)).at(-1)).toMatchObject({
    type: 'stars.spent',
    reason: 'Enriched a lead',
    monthly_change: -40,
    pack_change: -10,
  });
});

test('without enough stars nothing is spent or stored, and the same spend may succeed later', async () => {
  const organization = await provision(openingWallet(2, 3));
  const event_id = randomUUID();
  const { payload } = await spend(organization, 6, { event_id });
  expect(payload).toMatchObject({ spent: false, balance: { total_stars: 5 } });
  expect((await historyOf(organization)).length).toBe(1);
  const purchase = bodyOf(organization, { type: 'pack.purchased', stars: 1 });
  expect(await deliver([purchase])).toEqual([]);
  expect((await spend(organization, 6, { event_id })).payload.spent).toBe(true);
});

test('a repeat spends nothing and answers as the first did, also when no star is left', async () => {
  const organization = await provision(openingWallet(0, 10));
  const event_id = randomUUID();
  const first = await spend(organization, 10, { event_id });
  expect(first.payload.spent).toBe(true);
  expect(await spend(organization, 10, { event_id })).toEqual(first);
  expect((await historyOf(organization)).length).toBe(2);
});

test('20 repeats at once spend once and answer the same', async () => {
  const organization = await provision(openingWallet(0, 10));
  const event_id = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => spend(organization, 10, { event_id })),
  );
  expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(answers[0]?.payload.spent).toBe(true);
  expect((await historyOf(organization)).length).toBe(2);
});

test('an event_id that was used for something else is refused, and belongs to its organization', async () => {
  const [organization, other] = await Promise.all([
    provision(openingWallet(0, 10)),
    provision(openingWallet(0, 10)),
  ]);
  const event_id = randomUUID();
  await spend(organization, 1, { event_id });
  const { failed, payload } = await spend(organization, 2, { event_id });
  expect([failed, payload.errorType]).toEqual([true, 'event_id_reused']);
  expect((await balanceOf(organization)).total_stars).toBe(9);
  expect((await spend(other, 2, { event_id })).payload.spent).toBe(true);
});

test('monthly stars can’t be spent from the moment at which their period ends', async () => {
  const organization = await provision(
    openingWallet(40, 5, { current_period_end: new Date(Date.now() + 1500).toISOString() }),
  );
  expect((await spend(organization, 1)).payload.balance.total_stars).toBe(44);
  await eventually(
    () => balanceOf(organization),
    ({ monthly_stars }) => monthly_stars === 0,
  );
  expect((await spend(organization, 6)).payload.spent).toBe(false);
  expect((await spend(organization, 5)).payload).toMatchObject({
    spent: true,
    balance: { total_stars: 0 },
  });
  expect((await historyOf(organization)).at(-1)).toMatchObject({
    monthly_lapsed: 39,
    monthly_change: 0,
    pack_change: -5,
  });
});

describe('refuses', () => {
  test('an unknown organization', async () => {
    const { failed, payload } = await spend({ id: randomUUID() }, 1);
    expect([failed, payload.errorType]).toEqual([true, 'invalid_request']);
    expect(payload.errorMessage).toContain('organization_id is not an organization');
  });

  test.each<[string, object, string]>([
    ['no star', { stars: 0 }, 'stars'],
    ['half a star', { stars: 0.5 }, 'stars'],
    ['a negative number', { stars: -1 }, 'stars'],
    ['more than anyone spends', { stars: 1_000_000_000_001 }, 'stars'],
    ['an empty event_id', { event_id: '' }, 'event_id'],
    ['an event_id that is too long', { event_id: 'x'.repeat(129) }, 'event_id'],
    ['an event_id with other characters', { event_id: 'a#b' }, 'event_id'],
    ['an unknown field', { color: 'red' }, 'color'],
  ])('%s', async (_name, fields, path) => {
    const { failed, payload } = await spend({ id: randomUUID() }, 1, fields);
    expect([failed, payload.errorType]).toEqual([true, 'invalid_request']);
    expect(payload.errorMessage).toContain(path);
    expect(payload.errorMessage).not.toContain('is not an organization');
  });
});
