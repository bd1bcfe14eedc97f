import { expect, test } from 'vitest';
import { hold, openingWallet, release } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { provision } from '../../support/organization.ts';

test('open holds are listed in pages, the soonest to expire first', async () => {
  const organization = await provision(openingWallet(0, 50));
  const ids = Array.from({ length: 7 }, (_, i) => `hold:${i}-${'x'.repeat(120)}`);
  for (const [i, id] of ids.entries()) {
    await hold(organization, id, 1, { expires_in_seconds: 600 - 10 * i, feature: `f${i}` });
  }
  await release(organization, ids[3]!);
  await hold(organization, 'short', 1, { expires_in_seconds: 1 });
  await eventually(
    () => organization.get('/billing/holds/short'),
    ({ body }) => body.status === 'expired',
  );
  const listed = await organization.readAll('/billing/holds', 2);
  const open = ids.filter((_, i) => i !== 3).reverse();
  expect(listed.map(({ hold_id, status }) => [hold_id, status])).toEqual(
    open.map((id) => [id, 'open']),
  );
  expect(listed[0]).toEqual((await organization.get(`/billing/holds/${open[0]}`)).body);
});
