import { expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';
import { getBy, makeApiKey } from './api-keys.ts';

test('a list has all API keys once, newest first, in pages of any size', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  await makeApiKey(other);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const { id, key } = await makeApiKey(organization);
    ids.unshift(id);
    if (i % 2 === 0) await getBy(key, organization);
  }
  await organization.delete(`/keys/${ids[1]}`);
  for (const limit of [1, 2, 5, 200]) {
    const items = await organization.readAll('/keys', limit);
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(items.map((one) => one.last_used_on !== null)).toEqual([true, false, true, false, true]);
    expect(items.map((one) => one.revoked_at !== null)).toEqual([false, true, false, false, false]);
  }
});
