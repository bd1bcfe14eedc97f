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
  const { body } = await putPlan(planOf({ currency: 'USX' }));
  expect(body.error.details).toMatchObject([{ path: 'currency' }]);
});

test('a subscription has the grant of its plan, and keeps it when the plan changes', async () => {
  const organization = await provision();
  const plan = planOf();
  const { tier } = plan;
  await putPlan(plan);
  const period_end = inAnHour();
  const month = { type: 'subscription.paid', tier, period_end };
  await putEvent(organization, month);
  expect(await balanceOf(organization)).toMatchObject({
    monthly_stars: 500,
    monthly_grant_stars: 500,
    subscription: { tier, status: 'active' },
  });
  await putPlan({ ...plan, monthly_grant_stars: 9 });
  expect((await balanceOf(organization)).monthly_grant_stars).toBe(500);
  const inTwoHours = new Date(Date.parse(period_end) + 3_600_000).toISOString();
  const next = { ...month, period_end: inTwoHours, quantity: 2 };
  const { balance } = (await putEvent(organization, next)).body;
  expect(balance).toMatchObject({ monthly_stars: 500, next_grant: { at: period_end, stars: 18 } });
});
