import { expect, test } from 'vitest';
import { capture, hold, openingWallet } from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

test('a hold is answered as it began, also once it has been extended and captured', async () => {
  const organization = await provision(openingWallet(0, 10));
  const purpose = { reason: 'A call', feature: 'call', spender: 'agent:7' };
  const first = await hold(organization, 'job', 6, purpose);
  expect([first.status, first.body]).toMatchObject([201, { hold_id: 'job', stars: 6, ...purpose }]);
  await organization.patch('/billing/holds/job', { expires_in_seconds: 3600 });
  for (const _ of [1, 2]) {
    const again = await hold(organization, 'job', 6, purpose);
    expect([again.status, again.body]).toEqual([200, first.body]);
    await capture(organization, 'job', 4);
  }
});

test('a hold of more stars than there are is refused, and one that is decided too late', async () => {
  const organization = await provision(openingWallet(0, 10));
  const refused = await hold(organization, 'job', 11);
  expect([refused.status, refused.body.error.details[0].available_stars]).toEqual([402, 10]);
  const late = await hold(organization, 'job', 1, { not_after: '2026-01-01T00:00:00Z' });
  expect([late.status, late.body.error.code]).toEqual([409, 'too_late']);
  // Nothing is stored of either.
  expect((await capture(organization, 'job')).status).toBe(404);
  expect((await hold(organization, 'job', 10)).status).toBe(201);
});
