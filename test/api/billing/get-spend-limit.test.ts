import { expect, test } from 'vitest';
import { hold, spend } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { provision } from '../../support/organization.ts';

test('a limit tells what is used, with the default for who has none, and stars of expired holds back at once', async () => {
  const organization = await provision({ wallet: { pack_stars: 100 } });
  const read = (path: string) => organization.get(`/billing/limits/${path}`);
  expect((await read('spender/ada')).status).toBe(404);
  await organization.put('/billing/limits/default/spender', { stars: 10, period: 'total' });
  expect((await read('feature/ada')).status).toBe(404);
  await spend(organization, 2, { spender: 'ada' });
  await hold(organization, 'short', 3, { spender: 'ada', expires_in_seconds: 1 });
  await eventually(
    () => read('spender/ada'),
    ({ body }) => body.used_stars === 2,
  );
  expect((await read('spender/ada')).body).toEqual({
    ...{ kind: 'spender', name: 'ada', by_default: true, stars: 10, period: 'total' },
    ...{ enabled: true, alert_at: null, used_stars: 2, left_stars: 8, resets_at: null },
  });
  expect((await read('default/spender')).body).toMatchObject({
    ...{ by_default: false, used_stars: null, left_stars: null },
  });
  const own = { stars: 9, period: 'total' };
  const put = await organization.put('/billing/limits/spender/ada', own);
  expect(put.body).toMatchObject({ used_stars: 2, left_stars: 7 });
  // Written down by the next change, it counts once.
  await spend(organization, 1, { spender: 'ada' });
  expect((await read('spender/ada')).body.used_stars).toBe(3);
});
