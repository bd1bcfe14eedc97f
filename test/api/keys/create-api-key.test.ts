import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { call, outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { makeApiKey } from './api-keys.ts';

test('a new API key acts in its role, and in a history by its id', async () => {
  const organization = await provision();
  const made = await makeApiKey(organization, { name: 'Website form' });
  expect(made).toEqual({
    id: expect.any(String),
    name: 'Website form',
    role: 'agent',
    expires_at: null,
    spender: null,
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

test('the spender of an API key stays, whatever becomes of the key', async () => {
  const organization = await provision();
  const { id, spender } = await makeApiKey(organization, { role: 'meter', spender: 'agent-1' });
  expect(spender).toBe('agent-1');
  const path = `/keys/${id}`;
  const told = async () => [
    (await organization.get(path)).body.spender,
    (await organization.get('/keys')).body.items[0].spender,
  ];
  expect(await told()).toEqual(['agent-1', 'agent-1']);
  expect((await organization.post(`${path}/rotate`, {})).body.spender).toBe('agent-1');
  for (const other of ['agent-2', 'agent-1', null]) {
    const { body } = await organization.patch(path, { spender: other });
    expect([body.error?.code, body.error?.details[0].path]).toEqual(['invalid_request', 'spender']);
  }
  expect((await organization.patch(path, { name: 'Robot' })).body.spender).toBe('agent-1');
  expect((await organization.delete(path)).status).toBe(204);
  expect(await told()).toEqual(['agent-1', 'agent-1']);
});

test('a spender has the form that it has in a spend', async () => {
  const organization = await provision();
  const longest = 'x'.repeat(64);
  expect((await makeApiKey(organization, { spender: longest })).spender).toBe(longest);
  for (const spender of ['', ' ', 'a b', 'x'.repeat(65), 1]) {
    const answer = await organization.post('/keys', { name: 'Form', role: 'agent', spender });
    expect([spender, outcome(answer)]).toEqual([spender, 'invalid_request']);
  }
});
