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

test('each price of Stripe is of one plan, until that plan gives it up', async () => {
  const [first, second] = [`price_${randomUUID()}`, `price_${randomUUID()}`];
  const plan = planOf({ stripe_prices: [first, second] });
  expect(await putPlan(plan)).toMatchObject({ status: 201, body: plan });
  const other = planOf({ stripe_prices: [first] });
  const { status, body } = await putPlan(other);
  expect([status, body.error.details]).toEqual([
    400,
    [{ path: 'stripe_prices', message: `${first} is that of another plan` }],
  ]);
  expect((await putPlan({ ...plan, stripe_prices: [second] } as typeof plan)).status).toBe(200);
  expect(await putPlan(other)).toMatchObject({ status: 201, body: other });
});

test('a plan has 20 prices at most, each once', async () => {
  const prices = Array.from({ length: 21 }, () => `price_${randomUUID()}`);
  const statusOf = async (stripe_prices: string[]) =>
    (await putPlan(planOf({ stripe_prices }))).status;
  expect(await statusOf(prices.slice(1))).toBe(201);
  expect(await statusOf(prices)).toBe(400);
  expect(await statusOf([prices[0]!, prices[0]!])).toBe(400);
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
