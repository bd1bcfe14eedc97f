import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { invoke, Organization, provision } from '../../support/organization.ts';
import { sign } from '../../support/tokens.ts';

const input = (fields: object = {}) => ({
  organization_id: randomUUID(),
  name: 'Cedro',
  members: [{ user_id: randomUUID(), role: 'owner' }],
  ...fields,
});

test('an organization has its members, a pipeline and a wallet at once', async () => {
  const organization = await provision();
  expect(organization.pipelines).toMatchObject([{ name: 'Sales', default_stage: 'new' }]);
  expect((await organization.get('/leads')).body.items).toEqual([]);
  expect((await organization.get('/billing/balance')).body.total_stars).toBe(0);
});

test('a repeat answers as the first did, and changes nothing', async () => {
  const one = input({ wallet: { pack_stars: 5 } });
  const first = await invoke('provisionOrganization', one);
  expect(first.failed).toBe(false);
  expect(await invoke('provisionOrganization', one)).toEqual(first);
});

test('20 at once with one id make one organization and equal answers', async () => {
  const one = input();
  const all = await Promise.all(
    Array.from({ length: 20 }, () => invoke('provisionOrganization', one)),
  );
  expect(new Set(all.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(all[0]?.failed).toBe(false);
});

test('an id that is taken is refused, and who took it keeps it', async () => {
  const organization = await provision();
  const intruder = randomUUID();
  const { failed, payload } = await invoke(
    'provisionOrganization',
    input({
      organization_id: organization.id,
      members: [{ user_id: intruder, role: 'owner' }],
    }),
  );
  expect([failed, payload.errorType]).toEqual([true, 'invalid_request']);
  expect(payload.errorMessage).toContain('organization_id');
  const tokens = { ...organization.tokens, owner: await sign({ sub: intruder }) };
  const asIntruder = new Organization({ ...organization, id: organization.id, tokens });
  expect((await asIntruder.get('/leads')).status).toBe(403);
  expect((await organization.get('/leads')).status).toBe(200);
});

describe('refuses', () => {
  const owner = { user_id: randomUUID(), role: 'owner' };
  const stages = [{ name: 'new', outcome: 'open' }];

  test.each<[string, object, string]>([
    ['no owner', { members: [{ ...owner, role: 'admin' }] }, 'members'],
    ['a member twice', { members: [owner, { ...owner, role: 'agent' }] }, 'members'],
    ['an unknown role', { members: [owner, { user_id: randomUUID(), role: 'king' }] }, 'role'],
    ['a pipeline without stages', { pipelines: [{ name: 'P', stages: [] }] }, 'stages'],
    ['a stage twice', { pipelines: [{ name: 'P', stages: [...stages, ...stages] }] }, 'stages'],
    [
      'a default stage that is none',
      { pipelines: [{ name: 'P', stages, default_stage: 'x' }] },
      'default_stage',
    ],
    ['negative stars', { wallet: { pack_stars: -1 } }, 'pack_stars'],
    ['an id that is no UUID', { organization_id: 'cedro' }, 'organization_id'],
    ['an unknown field', { color: 'red' }, 'color'],
  ])('%s', async (_name, fields, path) => {
    const { failed, payload } = await invoke('provisionOrganization', input(fields));
    expect([failed, payload.errorType]).toEqual([true, 'invalid_request']);
    expect(payload.errorMessage).toContain(path);
  });
});
