import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { call, outcome } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { setCount } from '../../support/table.ts';

const make = async (organization: Organization, fields: object = {}) => {
  const answer = await organization.post('/keys', { name: 'Form', role: 'agent', ...fields });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
};

/** What an API key gets of this address in an organization. */
const by = (key: string, organization: Organization, path = '/leads') =>
  call('GET', path, {
    headers: { authorization: `Bearer ${key}`, 'x-organization-id': organization.id },
  });

const used = async (organization: Organization): Promise<number> =>
  (await organization.get('/organization')).body.limits.keys.used;

describe('a new API key', () => {
  test('acts in its role, and in a history by its id', async () => {
    const organization = await provision();
    const made = await make(organization, { name: 'Website form' });
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

  test('is shown once: a repeat has none, and no other answer', async () => {
    const organization = await provision();
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { name: 'Form', role: 'viewer' };
    const first = await organization.post('/keys', body, { headers });
    const repeat = await organization.post('/keys', body, { headers });
    expect(first.body.key).toMatch(/^lsk_/);
    expect(repeat.body).toEqual({ ...first.body, key: null });
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    const { key: _, ...shown } = first.body;
    expect((await organization.get(`/keys/${shown.id}`)).body).toEqual(shown);
    expect((await organization.get('/keys')).body.items).toEqual([shown]);
  });

  test.each<[string, object, string]>([
    ['the role of an owner', { role: 'owner' }, 'role'],
    ['a role of the platform', { role: 'platform' }, 'role'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
    ['an expiry that has passed', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an expiry in the year 10000', { expires_at: '9999-12-31T23:59:59-01:00' }, 'expires_at'],
  ])('with %s is refused', async (_what, fields, path) => {
    const organization = await provision();
    const answer = await organization.post('/keys', { name: 'Form', role: 'agent', ...fields });
    expect(answer.body.error.details).toMatchObject([{ path }]);
    expect(await used(organization)).toBe(0);
    await make(organization, { name: 'x'.repeat(200), expires_at: '9999-12-31T23:59:59Z' });
  });
});

test('a list has all API keys once, newest first, in pages of any size', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  await make(other);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const { id, key } = await make(organization);
    ids.unshift(id);
    if (i % 2 === 0) await by(key, organization);
  }
  await organization.delete(`/keys/${ids[1]}`);
  for (const limit of [1, 2, 5, 200]) {
    const items = await organization.readAll('/keys', limit);
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(items.map((one) => one.last_used_on !== null)).toEqual([true, false, true, false, true]);
    expect(items.map((one) => one.revoked_at !== null)).toEqual([false, true, false, false, false]);
  }
});

describe('a change', () => {
  test('of role and expiry holds from the next request on', async () => {
    const organization = await provision();
    const { id, key } = await make(organization, { role: 'viewer' });
    expect(outcome(await by(key, organization, '/changes'))).toBe('forbidden');
    const patch = { role: 'support', name: 'Mirror', expires_at: '2049-12-31T20:00:00-03:00' };
    const changed = await organization.patch(`/keys/${id}`, patch);
    const expected = { id, ...patch, expires_at: '2049-12-31T23:00:00.000Z' };
    expect([changed.body, changed.headers.get('etag')]).toMatchObject([expected, '"2"']);
    expect(outcome(await by(key, organization, '/changes'))).toBe(200);
    const unlimited = await organization.patch(`/keys/${id}`, { expires_at: null });
    expect(unlimited.body).toMatchObject({ name: 'Mirror', expires_at: null });
  });

  test('to the version that the client means, or not at all', async () => {
    const organization = await provision();
    const { id } = await make(organization);
    const patch = async (etag: string) =>
      outcome(
        await organization.patch(`/keys/${id}`, { name: etag }, { headers: { 'If-Match': etag } }),
      );
    expect([await patch('"2"'), await patch('"1"')]).toEqual(['precondition_failed', 200]);
    expect((await organization.get(`/keys/${id}`)).headers.get('etag')).toBe('"2"');
  });
});

describe('a rotation', () => {
  test('gives a new secret under the same id, and the one before is good beside it', async () => {
    const organization = await provision();
    const { id, key } = await make(organization);
    const { status, body } = await organization.post(`/keys/${id}/rotate`, {});
    expect([status, body.id]).toEqual([201, id]);
    const left = Date.parse(body.previous_expires_at) - Date.now();
    expect(Math.abs(left - 24 * 3600_000)).toBeLessThan(120_000);
    const both = [key, body.key];
    expect(new Set(both).size).toBe(2);
    for (const one of both) {
      const me = await by(one, organization, '/me');
      expect([me.status, me.body.user_id]).toEqual([200, id]);
    }
    const next = (await organization.post(`/keys/${id}/rotate`, {})).body;
    const outcomes = await Promise.all(
      [...both, next.key].map(async (one) => outcome(await by(one, organization))),
    );
    expect(outcomes).toEqual(['unauthenticated', 200, 200]);
  });

  test('refuses the one before at once, if asked to', async () => {
    const organization = await provision();
    const { id, key } = await make(organization);
    const body = { previous_expires_in_seconds: 0 };
    const headers = { 'Idempotency-Key': randomUUID() };
    const rotated = await organization.post(`/keys/${id}/rotate`, body, { headers });
    expect(rotated.body.previous_expires_at).toBeNull();
    expect(outcome(await by(key, organization))).toBe('unauthenticated');
    expect(outcome(await by(rotated.body.key, organization))).toBe(200);
    const repeat = await organization.post(`/keys/${id}/rotate`, body, { headers });
    expect(repeat.body).toEqual({ ...rotated.body, key: null });
    expect(outcome(await by(rotated.body.key, organization))).toBe(200);
  });

  test('has the one before good for 7 days at most', async () => {
    const organization = await provision();
    const { id } = await make(organization);
    const outcomes: unknown[] = [];
    for (const previous_expires_in_seconds of [-1, 0, 604_800, 604_801]) {
      const body = { previous_expires_in_seconds };
      outcomes.push(outcome(await organization.post(`/keys/${id}/rotate`, body)));
    }
    expect(outcomes).toEqual(['invalid_request', 201, 201, 'invalid_request']);
  });
});

describe('a revoked API key', () => {
  test('is refused at once, stays readable, and stays revoked', async () => {
    const organization = await provision();
    const { id, key } = await make(organization);
    expect(outcome(await by(key, organization))).toBe(200);
    expect(outcome(await organization.delete(`/keys/${id}`))).toBe(204);
    expect(outcome(await by(key, organization))).toBe('unauthenticated');
    const { body } = await organization.get(`/keys/${id}`);
    expect(body.revoked_at).toEqual(expect.any(String));
    expect(outcome(await organization.delete(`/keys/${id}`))).toBe(204);
    expect((await organization.get(`/keys/${id}`)).body).toEqual(body);
    const later = [
      await organization.patch(`/keys/${id}`, { expires_at: null }),
      await organization.post(`/keys/${id}/rotate`, {}),
    ];
    expect(later.map(outcome)).toEqual(['api_key_revoked', 'api_key_revoked']);
    expect(await used(organization)).toBe(0);
  });

  test('counts once, however many revoke it at once', async () => {
    const organization = await provision();
    const { id } = await make(organization);
    await make(organization);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => organization.delete(`/keys/${id}`)),
    );
    expect(answers.map(outcome).filter((one) => one !== 204 && one !== 'write_conflict')).toEqual(
      [],
    );
    expect(await used(organization)).toBe(1);
  });
});

test('an organization has 100 API keys that are not revoked, however many come at once', async () => {
  const organization = await provision();
  const { id } = await make(organization);
  // As if more had been made until three can be.
  await setCount(organization.id, 'api_keys', 1, 97);
  const post = () => organization.post('/keys', { name: 'Form', role: 'agent' });
  const outcomes = (await Promise.all(Array.from({ length: 8 }, post))).map(outcome);
  expect(outcomes.filter((one) => one === 201).length).toBe(3);
  expect(outcomes.filter((one) => one === 'limit_reached').length).toBe(5);
  expect(await used(organization)).toBe(100);
  await organization.delete(`/keys/${id}`);
  expect([outcome(await post()), outcome(await post())]).toEqual([201, 'limit_reached']);
});

describe('GET /me with an API key', () => {
  test('tells its id, name, role and permissions, and its organization', async () => {
    const organization = await provision({ name: 'Cedro' });
    const { id, key } = await make(organization, { name: 'Robot', role: 'admin' });
    const today = () => new Date().toISOString().slice(0, 10);
    const before = today();
    const { body } = await by(key, organization, '/me');
    const { permissions } = body.api_key;
    expect(body).toEqual({
      user_id: id,
      api_key: { id, name: 'Robot', role: 'admin', permissions },
      organizations: [{ id: organization.id, name: 'Cedro', role: 'admin' }],
    });
    expect(permissions).toContain('keys:read');
    expect(permissions).not.toContain('keys:write');
    const { last_used_on } = (await organization.get(`/keys/${id}`)).body;
    expect([before, today()]).toContain(last_used_on);
    expect(outcome(await by(key, organization, '/me?cursor=x'))).toBe('invalid_cursor');
  });

  test('needs the organization that it is of', async () => {
    const [organization, other] = await Promise.all([provision(), provision()]);
    const { key } = await make(organization);
    const without = await call('GET', '/me', { headers: { authorization: `Bearer ${key}` } });
    expect(without.body.error.details).toEqual([
      { path: 'X-Organization-Id', message: 'is required' },
    ]);
    expect(outcome(await by(key, other, '/me'))).toBe('unauthenticated');
  });
});
