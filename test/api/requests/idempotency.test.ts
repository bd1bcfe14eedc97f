import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

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

test('a key in quotation marks is the same key', async () => {
  const organization = await provision();
  const key = randomUUID();
  const first = await organization.post('/leads', body(organization), keyed(`"${key}"`));
  const repeat = await organization.post('/leads', body(organization), keyed(key));
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
  expect(repeat.headers.get('idempotency-replayed')).toBe('true');
  expect(repeat.text).toBe(first.text);
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

test('a request that is not valid leaves its key for the corrected one', async () => {
  const organization = await provision();
  const key = randomUUID();
  const failed = await organization.post('/leads', body(organization, { phone: '1' }), keyed(key));
  expect(failed.status).toBe(400);
  expect((await organization.post('/leads', body(organization), keyed(key))).status).toBe(201);
});

test('a refusal is the answer of its key, also when what stood in the way is gone', async () => {
  const organization = await provision();
  const key = randomUUID();
  const taken = await organization.lead({ email: 'taken@example.com' });
  const duplicate = body(organization, { email: taken.email });
  const first = await organization.post('/leads', duplicate, keyed(key));
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([409, null]);
  await organization.delete(`/leads/${taken.id}`);
  const repeat = await organization.post('/leads', duplicate, keyed(key));
  expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([409, 'true']);
  const { request_id: _first, ...told } = first.body.error;
  const { request_id: _repeat, ...again } = repeat.body.error;
  expect(again).toEqual(told);
  const other = await organization.post('/leads', body(organization), keyed(key));
  expect(other.body.error.code).toBe('idempotency_key_reused');
  expect((await organization.post('/leads', duplicate, keyed(randomUUID()))).status).toBe(201);
});

test('a patch that changes nothing is answered once: repeated, it does not undo what came after', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const key = randomUUID();
  const stay = () => organization.patch(`/leads/${id}`, { stage: 'new' }, keyed(key));
  const first = await stay();
  await organization.patch(`/leads/${id}`, { stage: 'won' }, { role: 'agent' });
  const repeat = await stay();
  expect([first.status, repeat.text]).toEqual([200, first.text]);
  expect((await organization.get(`/leads/${id}`)).body.stage).toBe('won');
});

test('what asks for the same is the same request, however it is spelled', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ tags: ['a'] });
  const key = randomUUID();
  const patch = (fields: object) => organization.patch(`/leads/${id}`, fields, keyed(key));
  const first = await patch({ tags: null, value_cents: 5 });
  expect(first.body.tags).toEqual([]);
  for (const same of [
    { value_cents: 5, tags: [] },
    { value_cents: 5.0, tags: null },
  ]) {
    expect((await patch(same)).text).toBe(first.text);
  }
  expect((await patch({ value_cents: 5 })).body.error.code).toBe('idempotency_key_reused');
  const condition = { headers: { 'idempotency-key': key, 'if-match': '"1"' } };
  const conditional = await organization.patch(
    `/leads/${id}`,
    { tags: [], value_cents: 5 },
    condition,
  );
  expect(conditional.body.error.code).toBe('idempotency_key_reused');
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
