import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { call, outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { setCount } from '../../support/table.ts';
import { makeApiKey, usedApiKeys } from './api-keys.ts';

test('a new API key acts in its role, and in a history by its id', async () => {
  const organization = await provision();
  const made = await makeApiKey(organization, { name: 'Website form' });
  expect(made).toEqual({
    id: expect.any(String),
    name: 'Website form',
    role: 'agent',
    expires_at: null,
    created_by: organization.users.owner,
    created_at: expect.any(String),
    revoked_at: null,
    last_used_on: null,
    key: expect.stringMatching(/^lsk_/),
  });
  const headers = {
    authorization: `Bearer ${made.key}`,
    'x-organization-id': organization.id,
    'content-type': 'application/json',
  };
  const lead = { contact_name: 'Maria Silva', pipeline_id: organization.pipelineId };
  const created = await call('POST', '/leads', { headers, body: JSON.stringify(lead) });
  expect(created.status).toBe(201);
  const history = await organization.get(`/leads/${created.body.id}/history`);
  expect(history.body.items[0].user_id).toBe(made.id);
  expect(outcome(await call('GET', '/changes', { headers }))).toBe('forbidden');
});

test('a new API key is shown once: a repeat has none, and no other answer', async () => {
  const organization = await provision();
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { name: 'Form', role: 'viewer' };
  const first = await organization.post('/keys', body, { headers });
  const repeat = await organization.post('/keys', body, { headers });
  expect(first.body.key).toMatch(/^lsk_/);
  expect(repeat.body).toEqual({ ...first.body, key: null });
  expect(repeat.headers.get('idempotency-replayed')).toBe('true');
  const { key: _, ...shown } = first.body;
  expect((await organization.get('/keys')).body.items).toEqual([shown]);
});

test.each<[string, object, string]>([
  ['the role of an owner', { role: 'owner' }, 'role'],
  ['a role of the platform', { role: 'platform' }, 'role'],
  ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
  ['an expiry that has passed', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ['an expiry in the year 10000', { expires_at: '9999-12-31T23:59:59-01:00' }, 'expires_at'],
])('an API key with %s is refused', async (_what, fields, path) => {
  const organization = await provision();
  const answer = await organization.post('/keys', { name: 'Form', role: 'agent', ...fields });
  expect(answer.body.error.details).toMatchObject([{ path }]);
  expect(await usedApiKeys(organization)).toBe(0);
  await makeApiKey(organization, { name: 'x'.repeat(200), expires_at: '9999-12-31T23:59:59Z' });
});

test('an organization has 100 API keys that are not revoked, however many come at once', async () => {
  const organization = await provision();
  const { id } = await makeApiKey(organization);
  // As if more had been made until three can be.
  await setCount(organization.id, 'api_keys', 1, 97);
  const post = () => organization.post('/keys', { name: 'Form', role: 'agent' });
  const outcomes = (await Promise.all(Array.from({ length: 8 }, post))).map(outcome);
  expect(outcomes.filter((one) => one === 201).length).toBe(3);
  expect(outcomes.filter((one) => one === 'limit_reached').length).toBe(5);
  expect(await usedApiKeys(organization)).toBe(100);
  await organization.delete(`/keys/${id}`);
  expect([outcome(await post()), outcome(await post())]).toEqual([201, 'limit_reached']);
});
