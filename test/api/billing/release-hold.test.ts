import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { balanceOf, capture, hold, openingWallet, release } from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

// How each end of a hold is answered to a repeat: test/unit/billing/holds/holds.test.ts.

test('a release returns all stars of a hold once, and none of one that was captured', async () => {
  const organization = await provision(openingWallet(4, 6));
  for (const id of ['job', 'other']) await hold(organization, id, 5);
  const first = await release(organization, 'job');
  const { as_of: _, ...balance } = await balanceOf(organization);
  const freed = { held_stars: 5, available_stars: 5, total_stars: 10 };
  expect([first.status, balance]).toMatchObject([200, freed]);
  expect(first.body).toMatchObject({ captured_stars: 0, returned_stars: 5, balance });
  await capture(organization, 'other', 5);
  expect((await release(organization, 'job')).body).toEqual(first.body);
  expect(outcome(await release(organization, 'other'))).toBe('already_captured');
  expect(outcome(await release(organization, 'none'))).toBe('not_found');
  expect(await balanceOf(organization)).toMatchObject({ total_stars: 5, available_stars: 5 });
});
