import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { balanceOf, inAnHour } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { callAsPlatform, provision } from '../../support/organization.ts';

// The catalogue is the same for all: each test has tiers of its own in it.
const planOf = (fields: object = {}) => ({
  tier: String(randomUUID()),
  name: 'Business',
  monthly_grant_stars: 500,
  price_cents: 19_900,
  currency: 'USD',
  ...fields,
});

const putPlan = ({ tier, ...plan }: ReturnType<typeof planOf>) =>
  callAsPlatform('PUT', `/billing/plans/${tier}`, plan);

test('every organization reads the plans, as they were put last', async () => {
  const organization = await provision();
  const [one, two, three] = [
    planOf({ tier: `1-${randomUUID()}`, price_cents: 3 }),
    planOf({ tier: `2-${randomUUID()}`, price_cents: 1, currency: 'BRL' }),
    planOf({ tier: `3-${randomUUID()}`, price_cents: 2 }),
  ] as const;
  for (const plan of [one, two, three]) {
    expect(await putPlan(plan)).toMatchObject({ status: 201, body: plan });
  }
  for (const again of [one, { ...one, name: 'Renamed' }]) {
    expect(await putPlan(again)).toMatchObject({ status: 200, body: again });
  }
  const { body } = await organization.get('/billing/plans');
  expect(body.next_cursor).toBeNull();
  const tiers = [one.tier, two.tier, three.tier];
  const ours = body.items.filter(({ tier }: { tier: string }) => tiers.includes(tier));
  expect(ours).toEqual([two, three, { ...one, name: 'Renamed' }]);
});

test('plans of one price are in the order of their tiers', async () => {
  const organization = await provision();
  const tiers = Array.from({ length: 4 }, () => String(randomUUID()));
  for (const tier of tiers) await putPlan(planOf({ tier }));
  const { items } = (await organization.get('/billing/plans')).body;
  const listed = items.map(({ tier }: { tier: string }) => tier);
  expect(listed.filter((tier: string) => tiers.includes(tier))).toEqual(tiers.toSorted());
});

test('a subscription has the grant of its plan, and keeps it when the plan changes', async () => {
  const organization = await provision();
  const plan = planOf();
  await putPlan(plan);
  const started = { type: 'subscription.started', tier: plan.tier, current_period_end: inAnHour() };
  expect(await deliver([bodyOf(organization, started)])).toEqual([]);
  expect(await balanceOf(organization)).toMatchObject({
    monthly_stars: 500,
    monthly_grant_stars: 500,
    subscription: { tier: plan.tier, status: 'active' },
  });
  await putPlan({ ...plan, monthly_grant_stars: 9 });
  expect((await balanceOf(organization)).monthly_grant_stars).toBe(500);
  const changed = { type: 'subscription.changed', tier: plan.tier };
  const renewed = { type: 'subscription.renewed', current_period_end: '2099-01-01T00:00:00Z' };
  expect(await deliver([changed, renewed].map((one) => bodyOf(organization, one)))).toEqual([]);
  expect((await balanceOf(organization)).monthly_stars).toBe(9);
});

describe('putPlan refuses', () => {
  test.each<[string, object, string]>([
    ['a tier that is too long', { tier: 'x'.repeat(51) }, 'tier'],
    ['a tier that would need another spelling in a path', { tier: 'a%20b' }, 'tier'],
    ['negative stars', { monthly_grant_stars: -1 }, 'monthly_grant_stars'],
    ['a negative price', { price_cents: -1 }, 'price_cents'],
    ['a fraction of a cent', { price_cents: 0.5 }, 'price_cents'],
    ['a currency that is none', { currency: 'USX' }, 'currency'],
    ['a currency in lower case', { currency: 'usd' }, 'currency'],
    ['an unknown field', { color: 'red' }, 'color'],
  ])('%s', async (_name, fields, path) => {
    const { status, body } = await putPlan(planOf(fields));
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details).toMatchObject([{ path }]);
  });

  test('nothing of a tier of 50 characters', async () => {
    const tier = `${randomUUID()}-Az.0_`.padEnd(50, 'x');
    expect((await putPlan(planOf({ tier }))).status).toBe(201);
  });
});
