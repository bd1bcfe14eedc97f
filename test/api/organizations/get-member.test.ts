import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { path } from './members.ts';

test('a member is read with the role of now, in any case of letters, and nobody else is', async () => {
  const organization = await provision();
  const user = randomUUID();
  const read = async () => {
    const answers = [user, user.toUpperCase()].map((id) => organization.get(path(id)));
    const [one, other] = await Promise.all(answers);
    expect(other?.body.error?.code ?? other?.body).toEqual(one?.body.error?.code ?? one?.body);
    return one!;
  };
  expect(outcome(await read())).toBe('not_found');
  for (const role of ['agent', 'viewer']) {
    await organization.put(path(user), { role });
    expect((await read()).body).toEqual({ user_id: user, role, name: null });
  }
  await organization.delete(path(user));
  expect(outcome(await read())).toBe('not_found');
});
