import { expect, test } from 'vitest';
import { spend } from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

test('limits are listed in pages, as each is read', async () => {
  const organization = await provision({ wallet: { pack_stars: 100 } });
  const names = ['default/spender', 'feature/chat', 'spender/ada', 'spender/bob'];
  for (const name of names.toReversed()) {
    await organization.put(`/billing/limits/${name}`, { stars: 10, period: 'month' });
  }
  await spend(organization, 4, { spender: 'bob', feature: 'chat' });
  const listed = await organization.readAll('/billing/limits', 3);
  expect(listed.map(({ kind, name }) => `${kind}/${name}`)).toEqual(names);
  expect(listed.map(({ used_stars }) => used_stars)).toEqual([null, 4, 0, 4]);
  for (const [i, name] of names.entries()) {
    expect((await organization.get(`/billing/limits/${name}`)).body).toEqual(listed[i]);
  }
});
