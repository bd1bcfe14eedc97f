import { expect, test } from 'vitest';
import { roles } from '../../../lib/operations/permissions.ts';
import { provision } from '../../support/organization.ts';
import { getBy, makeApiKey } from '../keys/api-keys.ts';
import { quiet } from '../webhooks/hooks.ts';

test('every member is told the organization, their role, and how much of each limit is used', async () => {
  const organization = await provision({ name: 'Cedro Ltda', currency: 'BRL' });
  await organization.post('/pipelines', { name: 'P', stages: [{ name: 'new', outcome: 'open' }] });
  await organization.post('/webhooks', quiet);
  await makeApiKey(organization);
  for (const role of roles) {
    const { status, body } = await organization.get('/organization', { role });
    expect([status, body]).toEqual([
      200,
      {
        id: organization.id,
        name: 'Cedro Ltda',
        currency: 'BRL',
        suspended: false,
        role,
        limits: {
          pipelines: { used: 2, most: 50 },
          members: { used: roles.length, most: 1000 },
          webhooks: { used: 1, most: 10 },
          keys: { used: 1, most: 100 },
        },
      },
    ]);
  }
});

test('a key with a spender is told in whose name it spends', async () => {
  const organization = await provision();
  const spenderOf = async (fields: object) =>
    (await getBy((await makeApiKey(organization, fields)).key, organization, '/organization')).body
      .spender;
  expect(await spenderOf({ role: 'meter', spender: 'agent-7' })).toBe('agent-7');
  expect(await spenderOf({ role: 'meter' })).toBeUndefined();
});
