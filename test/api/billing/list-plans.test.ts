import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { callAsPlatform, provision } from '../../support/organization.ts';

test('every organization reads the plans as they were put last, by price, then by tier', async () => {
  const id = randomUUID();
  const put = async (tier: string, price_cents: number, currency = 'USD', name = 'Business') => {
    const plan = { name, monthly_grant_stars: 500, price_cents, currency };
    return (await callAsPlatform('PUT', `/billing/plans/${tier}-${id}`, plan)).body;
  };
  await put('1', 1);
  const [two, four, three] = [await put('2', 1, 'BRL'), await put('4', 2), await put('3', 2)];
  const renamed = await put('1', 3, 'USD', 'Renamed');
  for (const organization of await Promise.all([provision(), provision()])) {
    const { items, next_cursor } = (await organization.get('/billing/plans')).body;
    // The catalogue is the same for all: other tests have tiers of their own in it.
    const ours = items.filter(({ tier }: { tier: string }) => tier.endsWith(id));
    expect([ours, next_cursor]).toEqual([[two, three, four, renamed], null]);
  }
});
