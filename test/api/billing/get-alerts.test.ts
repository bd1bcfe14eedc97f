import { expect, test } from 'vitest';
import { spend } from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

test('there are no alerts until some are put, which stay whatever is spent', async () => {
  const organization = await provision({ wallet: { pack_stars: 9 } });
  const read = async () => (await organization.get('/billing/alerts')).body;
  expect(await read()).toEqual({ thresholds: [] });
  await organization.put('/billing/alerts', { thresholds: [5, 8] });
  await spend(organization, 6);
  expect(await read()).toEqual({ thresholds: [8, 5] });
});
