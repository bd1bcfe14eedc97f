import { expect, test } from 'vitest';
import { openingWallet } from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

test('an organization reads both compartments and its subscription', async () => {
  const current_period_end = new Date(Date.now() + 60_000).toISOString();
  const organization = await provision(openingWallet(40, 25, { current_period_end }));
  const before = Date.now();
  const { as_of, ...balance } = (await organization.get('/billing/balance')).body;
  expect(Date.parse(as_of)).toBeGreaterThanOrEqual(before - 1);
  expect(Date.parse(as_of)).toBeLessThanOrEqual(Date.now());
  expect(balance).toEqual({
    monthly_stars: 40,
    pack_stars: 25,
    total_stars: 65,
    held_stars: 0,
    available_stars: 65,
    owed_stars: 0,
    next_expiry: null,
    monthly_grant_stars: 100,
    monthly_lapse_at: current_period_end,
    next_grant: null,
    subscription: { tier: 'pro', status: 'active', current_period_end },
  });
});

test('a balance without a subscription tells none', async () => {
  const { body } = await (await provision()).get('/billing/balance');
  expect(body).toMatchObject({ total_stars: 0, monthly_grant_stars: 0, subscription: null });
});

test('a balance is told of a moment in the past, of none in the future', async () => {
  const organization = await provision({ wallet: { pack_stars: 100 } });
  const ask = async (time: string) => (await organization.get(`/billing/balance?at=${time}`)).body;
  const { as_of } = (await organization.get('/billing/balance')).body;
  expect(await ask(as_of)).toMatchObject({ total_stars: 100, as_of });
  // A statement says so, too, of a time before the wallet was made.
  const early = '2020-01-01T00:00:00.000Z';
  expect(await ask(early)).toMatchObject({ total_stars: 0, subscription: null, as_of: early });
  for (const [time, message] of [
    ['2999-01-01T00:00:00Z', 'must not be in the future'],
    ['yesterday', expect.any(String)],
  ]) {
    expect((await ask(time)).error.details).toEqual([{ path: 'at', message }]);
  }
});
