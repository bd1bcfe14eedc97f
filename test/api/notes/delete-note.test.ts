import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';

test('a note is deleted once, by its writer or an admin, and the others stay', async () => {
  const organization = await provision();
  const path = `/leads/${(await organization.lead()).id}/notes`;
  const agent = { role: 'agent' as const };
  const write = async (options = {}) =>
    (await organization.post(path, { text: 'A note.' }, options)).body;
  const [byOwner, one, other] = [await write(), await write(agent), await write(agent)];
  const remove = async ({ id }: { id: string }, options: object) =>
    outcome(await organization.delete(`${path}/${id}`, options));
  expect(await remove(byOwner, agent)).toBe('forbidden');
  expect(await remove(one, agent)).toBe(204);
  expect(await remove(one, agent)).toBe('not_found');
  expect(await remove(other, { role: 'admin' })).toBe(204);
  expect(await organization.readAll(path)).toEqual([{ ...byOwner, user_name: null }]);
});
