import { expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';

const subscription = (current_period_end: string) => ({
  tier: 'pro',
  status: 'active',
  monthly_grant_stars: 100,
  monthly_stars: 40,
  current_period_end,
});

test('an organization reads both compartments and its subscription', async () => {
  const end = new Date(Date.now() + 60_000).toISOString();
  const organization = await provision({
    wallet: { pack_stars: 25, subscription: subscription(end) },
  });
  const before = Date.now();
  const { body } = await organization.get('/billing/balance');
  const { as_of, ...balance } = body;
  expect(Date.parse(as_of)).toBeGreaterThanOrEqual(before - 1);
  expect(Date.parse(as_of)).toBeLessThanOrEqual(Date.now());
  expect(balance).toEqual({
    monthly_stars: 40,
    pack_stars: 25,
    total_stars: 65,
    held_stars: 0,
    available_stars: 65,
    next_expiry: null,
    monthly_grant_stars: 100,
    subscription: { tier: 'pro', status: 'active', current_period_end: end },
  });
});

test('monthly stars count as zero once their period has ended, pack stars stay', async () => {
  const end = new Date(Date.now() - 1).toISOString();
  const organization = await provision({
    wallet: { pack_stars: 25, subscription: subscription(end) },
  });
  const { body } = await organization.get('/billing/balance');
  expect(body).toMatchObject({ monthly_stars: 0, pack_stars: 25, total_stars: 25 });
});

test('an organization without a subscription has none', async () => {
  const organization = await provision();
  const { body } = await organization.get('/billing/balance');
  expect(body).toEqual({
    monthly_stars: 0,
    pack_stars: 0,
    total_stars: 0,
    held_stars: 0,
    available_stars: 0,
    next_expiry: null,
    monthly_grant_stars: 0,
    subscription: null,
    as_of: expect.any(String),
  });
});
