import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { places } from '../../../lib/table/keys.ts';
import { mostTests } from '../../../lib/webhooks/writes.ts';
import type { TestMessage } from '../../../packages/client/src/index.ts';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';
import { arrived, deliveriesOf, hooked, quietWebhook, verified } from './hooks.ts';

test('a test of a webhook is posted whatever its status, and is in the deliveries', async () => {
  const hook = await hooked();
  const { organization, path } = hook;
  await organization.patch(path, { status: 'disabled' });
  const { body } = await organization.post(`${path}/test`, undefined);
  await arrived(hook, 1);
  const message: TestMessage = {
    event_id: body.delivery_id,
    type: 'webhook.test',
    at: expect.any(String),
    organization_id: organization.id,
    webhook_id: hook.id,
  };
  expect(verified(hook.receiver.received[0]!, hook.secret)).toEqual(message);
  const delivery = { id: body.delivery_id, type: 'webhook.test', sequence: null, status: 200 };
  expect(await deliveriesOf(hook, 1)).toMatchObject([delivery]);
});

test('requests for a test at once with one key send one test', async () => {
  const organization = await provision();
  const path = await quietWebhook(organization);
  const keyed = { headers: { 'idempotency-key': randomUUID() } };
  const ask = () => organization.post(`${path}/test`, undefined, keyed);
  const tests = await Promise.all([ask(), ask(), ask()]);
  expect(new Set(tests.map(({ body }) => body.delivery_id)).size).toBe(1);
});

test('ten tests of a webhook wait at most', async () => {
  const { organization, path, id } = await hooked();
  /** As if so many were waiting, and a worker were at it for an hour. */
  const wait = (count: number) => {
    const waiting = Array.from({ length: count }, () => [randomUUID(), new Date().toISOString()]);
    return table.send(
      new UpdateCommand({
        TableName: inject('service').tableName,
        Key: places.webhook.key({ organizationId: organization.id, webhookId: id }),
        UpdateExpression:
          'SET tests = :tests, lease_until = :until, lease_token = :lease ADD revision :one',
        ExpressionAttributeValues: {
          ':tests': Object.fromEntries(waiting),
          ':until': Date.now() + 3_600_000,
          ':lease': randomUUID(),
          ':one': 1,
        },
      }),
    );
  };
  const ask = async (one = path) => outcome(await organization.post(`${one}/test`, undefined));
  await wait(mostTests);
  expect(await ask()).toBe('limit_reached');
  await wait(mostTests - 1);
  expect(await ask()).toBe(202);
  expect(await ask(`/webhooks/${randomUUID()}`)).toBe('not_found');
});
