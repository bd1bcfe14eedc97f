import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { capture, hold, openingWallet, release } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { provision } from '../../support/organization.ts';

test('a hold is read as it is now, also once it has ended, and how it did', async () => {
  const organization = await provision(openingWallet(0, 10));
  const read = async (id: string) => (await organization.get(`/billing/holds/${id}`)).body;
  const started = async (id: string, fields: object = {}) => {
    const { balance, ...rest } = (await hold(organization, id, 3, fields)).body;
    const none = { captured_stars: 0, missing_stars: 0 };
    return { ...rest, status: 'open', ...none, created_at: balance.as_of };
  };
  const purpose = { reason: 'A call', feature: 'call', spender: 'agent:7' };
  const [job, other] = [await started('job', purpose), await started('other')];
  const short = await started('short', { expires_in_seconds: 1 });
  expect([await read('job'), await read('other')]).toEqual([job, other]);
  await capture(organization, 'job', 2);
  expect(await read('job')).toEqual({ ...job, status: 'captured', captured_stars: 2 });
  await release(organization, 'other');
  expect(await read('other')).toEqual({ ...other, status: 'released' });
  const expired = await eventually(
    () => read('short'),
    ({ status }) => status !== 'open',
  );
  expect(expired).toEqual({ ...short, status: 'expired' });
  expect(outcome(await organization.get('/billing/holds/none'))).toBe('not_found');
});
