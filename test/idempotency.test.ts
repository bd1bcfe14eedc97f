import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { type Organization, provision } from './support/organization.ts';
import { table } from './support/table.ts';

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

const body = (organization: Organization, fields: object = {}) => ({
  contact_name: 'Maria Silva',
  pipeline_id: organization.pipelineId,
  email: 'maria@example.com',
  ...fields,
});

const countLeads = async (organization: Organization): Promise<number> =>
  (await organization.get('/leads')).body.items.length;

test('a repeat gets the first response, byte for byte, and says so', async () => {
  const organization = await provision();
  const key = randomUUID();
  const first = await organization.post('/leads', body(organization), keyed(key));
  const repeat = await organization.post('/leads', body(organization), keyed(key.toUpperCase()));
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
  expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  expect(repeat.text).toBe(first.text);
  expect(repeat.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await countLeads(organization)).toBe(1);
});

test('the same request written differently is a repeat', async () => {
  const organization = await provision();
  const key = randomUUID();
  const first = await organization.post('/leads', body(organization), keyed(key));
  const { contact_name, pipeline_id, email } = body(organization);
  const other = JSON.stringify({ tags: null, email, pipeline_id, contact_name }, null, 4);
  expect((await organization.post('/leads', other, keyed(key))).text).toBe(first.text);
});

test('the same key for another request is a mistake', async () => {
  const organization = await provision();
  const key = randomUUID();
  await organization.post('/leads', body(organization), keyed(key));
  const other = await organization.post(
    '/leads',
    body(organization, { value_cents: 1 }),
    keyed(key),
  );
  expect(other.body.error.code).toBe('idempotency_key_reused');
  expect(await countLeads(organization)).toBe(1);
});

test('a key belongs to one user of one organization', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const key = randomUUID();
  const ids = [
    await organization.post('/leads', body(organization, { email: null }), keyed(key)),
    await organization.post('/leads', body(organization, { email: null }), {
      role: 'agent',
      ...keyed(key),
    }),
    await other.post('/leads', body(other, { email: null }), keyed(key)),
  ].map((answer) => answer.body.id);
  expect(new Set(ids).size).toBe(3);
});

test('a failed request stores nothing: the key can be used for the corrected one', async () => {
  const organization = await provision();
  const key = randomUUID();
  const failed = await organization.post('/leads', body(organization, { phone: '1' }), keyed(key));
  expect(failed.status).toBe(400);
  const taken = await organization.lead({ email: 'taken@example.com' });
  const duplicate = body(organization, { email: taken.email });
  expect((await organization.post('/leads', duplicate, keyed(key))).status).toBe(409);
  expect((await organization.post('/leads', body(organization), keyed(key))).status).toBe(201);
});

test.each(['', 'order-17', randomUUID().slice(1)])('the key %j is refused', async (key) => {
  const organization = await provision();
  const answer = await organization.post('/leads', body(organization), keyed(key));
  expect(answer.body.error.details).toMatchObject([{ path: 'Idempotency-Key' }]);
});

test('a record past its time counts as absent, even though it is still stored', async () => {
  const organization = await provision();
  const key = randomUUID();
  const send = () => organization.post('/leads', body(organization, { email: null }), keyed(key));
  const first = await send();
  const expire = (expires_at: number) =>
    table.send(
      new UpdateCommand({
        TableName: inject('service').tableName,
        Key: {
          pk: `IDEMPOTENCY#${organization.id}#${organization.users.owner}#createLead#${key}`,
          sk: 'GUARD',
        },
        UpdateExpression: 'SET expires_at = :at',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':at': expires_at },
      }),
    );
  const seconds = Math.floor(Date.now() / 1000);
  await expire(seconds + 60);
  expect((await send()).text).toBe(first.text);
  await expire(seconds - 1);
  const again = await send();
  expect(again.headers.get('idempotency-replayed')).toBeNull();
  expect(again.body.id).not.toBe(first.body.id);
  expect((await send()).text).toBe(again.text);
});
