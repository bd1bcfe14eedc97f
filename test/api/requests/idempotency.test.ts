import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

// The rules are in test/unit/operations/idempotency.test.ts. Here they go through the front door.

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

const body = (organization: Organization, fields: object = {}) => ({
  contact_name: 'Maria Silva',
  pipeline_id: organization.pipelineId,
  email: 'maria@example.com',
  ...fields,
});

const countLeads = async (organization: Organization): Promise<number> =>
  (await organization.get('/leads')).body.items.length;

test('a repeat gets the first response, byte for byte, however key and body are spelled, and says so', async () => {
  const organization = await provision();
  const key = randomUUID();
  const send = (sent: unknown, as: string) => organization.post('/leads', sent, keyed(as));
  const first = await send(body(organization), key);
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
  const { contact_name, pipeline_id, email } = body(organization);
  const spelled = JSON.stringify({ tags: null, email, pipeline_id, contact_name }, null, 4);
  for (const [sent, as] of [
    [body(organization), key.toUpperCase()],
    [body(organization), `"${key}"`],
    [spelled, key],
  ] as const) {
    const repeat = await send(sent, as);
    expect([repeat.status, repeat.text]).toEqual([201, first.text]);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  }
  const other = await send(body(organization, { value_cents: 1 }), key);
  expect(other.body.error.code).toBe('idempotency_key_reused');
  expect(await countLeads(organization)).toBe(1);
  const byAgent = { ...keyed(key), role: 'agent' as const };
  const theirs = await organization.post('/leads', body(organization, { email: null }), byAgent);
  expect([theirs.status, await countLeads(organization)]).toEqual([201, 2]);
});
