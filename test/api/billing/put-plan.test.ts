import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { balanceOf, inAnHour, putEvent } from '../../support/billing.ts';
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

test('a plan is put as a whole, as often as it changes', async () => {
  const plan = planOf();
  expect(await putPlan(plan)).toMatchObject({ status: 201, body: plan });
  const renamed = { ...plan, name: 'Renamed' };
  for (const again of [plan, renamed]) {
    expect(await putPlan(again)).toMatchObject({ status: 200, body: again });
  }
});

test('a subscription has the grant of its plan, and keeps it when the plan changes', async () => {
  const organization = await provision();
  const plan = planOf();
  const { tier } = plan;
  await putPlan(plan);
  await putEvent(organization, {
    type: 'subscription.started',
    tier,
    current_period_end: inAnHour(),
  });
  expect(await balanceOf(organization)).toMatchObject({
    monthly_stars: 500,
    monthly_grant_stars: 500,
    subscription: { tier, status: 'active' },
  });
  await putPlan({ ...plan, monthly_grant_stars: 9 });
  expect((await balanceOf(organization)).monthly_grant_stars).toBe(500);
  await putEvent(organization, { type: 'subscription.changed', tier });
  const renewal = { type: 'subscription.renewed', current_period_end: '2099-01-01T00:00:00Z' };
  expect((await putEvent(organization, renewal)).body.balance.monthly_stars).toBe(9);
});

test.each<[string, object, string]>([
  ['a tier that is too long', { tier: 'x'.repeat(51) }, 'tier'],
  ['a tier that would need another spelling in a path', { tier: 'a%20b' }, 'tier'],
  ['negative stars', { monthly_grant_stars: -1 }, 'monthly_grant_stars'],
  ['a negative price', { price_cents: -1 }, 'price_cents'],
  ['a fraction of a cent', { price_cents: 0.5 }, 'price_cents'],
  ['a currency that is none', { currency: 'USX' }, 'currency'],
  ['a currency in lower case', { currency: 'usd' }, 'currency'],
])('a plan with %s is refused', async (_name, fields, path) => {
  const { status, body } = await putPlan(planOf(fields));
  expect([status, body.error.code]).toEqual([400, 'invalid_request']);
  expect(body.error.details).toMatchObject([{ path }]);
});

test('a tier has 50 characters at most', async () => {
  const tier = `${randomUUID()}-Az.0_`.padEnd(50, 'x');
  expect((await putPlan(planOf({ tier }))).status).toBe(201);
});
