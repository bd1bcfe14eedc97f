import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { hold, openingWallet, release } from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

// What an extended hold does: test/unit/billing/holds/holds.test.ts.

test('an open hold expires so many seconds from now, never earlier, and what has ended does not', async () => {
  const organization = await provision(openingWallet(0, 10));
  const { expires_at } = (await hold(organization, 'job', 6)).body;
  const extend = (expires_in_seconds: number, id = 'job') =>
    organization.patch(`/billing/holds/${id}`, { expires_in_seconds });
  const { status, body } = await extend(3600);
  expect([status, body]).toMatchObject([200, { hold_id: 'job', stars: 6, status: 'open' }]);
  expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.parse(expires_at) + 2e6);
  expect((await extend(1)).body).toEqual(body);
  expect((await organization.get('/billing/holds/job')).body).toEqual(body);
  for (const seconds of [0, 604_801])
    expect(outcome(await extend(seconds))).toBe('invalid_request');
  await release(organization, 'job');
  expect(outcome(await extend(3600))).toBe('already_released');
  expect(outcome(await extend(3600, 'none'))).toBe('not_found');
});
