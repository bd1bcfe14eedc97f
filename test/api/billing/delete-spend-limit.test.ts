import { expect, test } from 'vitest';
import { call } from '../../support/api.ts';
import { spend } from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';
import { makeApiKey } from '../keys/api-keys.ts';

const path = '/billing/limits/spender/agent-1';
const body = { stars: 5, period: 'day' };

test('a limit that is deleted refuses nothing; there is nothing more to delete', async () => {
  const organization = await provision({ wallet: { pack_stars: 100 } });
  await organization.put(path, body);
  const spent = () => spend(organization, 6, { spender: 'agent-1' });
  expect((await spent()).body.error.code).toBe('spend_limit_reached');
  expect((await organization.delete(path)).status).toBe(204);
  expect((await organization.delete(path)).status).toBe(404);
  expect((await spent()).status).toBe(201);
});

test('a key with a spender is held to its limit, sees it, and can neither put nor delete any', async () => {
  const organization = await provision({ wallet: { pack_stars: 100 } });
  const asRole = async (role: string) => {
    const { key } = await makeApiKey(organization, { role, spender: 'agent-1' });
    return (method: string, to: string, sent?: object) =>
      call(method, to, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(sent && { body: JSON.stringify(sent) }),
      });
  };
  await organization.put(path, body);
  for (const role of ['meter', 'admin']) {
    const ask = await asRole(role);
    expect((await ask('GET', path)).body.left_stars).toBe(5);
    for (const other of [path, '/billing/limits/default/spender', '/billing/limits/feature/chat']) {
      for (const refused of [
        await ask('PUT', other, { ...body, stars: 50 }),
        await ask('DELETE', other),
      ]) {
        expect(refused.status).toBe(403);
        expect(refused.body.error.details).toHaveLength(1);
      }
    }
    const over = await ask('PUT', `/billing/spends/by-${role}`, { stars: 6 });
    expect(over.body.error.code).toBe('spend_limit_reached');
  }
  expect((await organization.put(path, { ...body, stars: 6 })).status).toBe(200);
});
