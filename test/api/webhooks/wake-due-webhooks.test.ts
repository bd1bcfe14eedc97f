import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { type Key, places } from '../../../lib/table/keys.ts';
import { invoke } from '../../support/organization.ts';
import { table } from '../../support/table.ts';
import { arrived, hooked, webhookWhere } from './hooks.ts';

test('a wake that was lost altogether is made up for by the schedule', async () => {
  const hook = await hooked();
  await hook.organization.lead();
  await arrived(hook, 1);
  await webhookWhere(hook, { checkpoint: hook.start + 1 });
  // As if nobody had ever heard of the lead; and it is time to look again.
  const reset = (Key: Key, name: string) =>
    table.send(
      new UpdateCommand({
        TableName: inject('service').tableName,
        Key,
        UpdateExpression: 'SET #name = :zero',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':zero': 0 },
      }),
    );
  const organizationId = hook.organization.id;
  await reset(places.webhook.key({ organizationId, webhookId: hook.id }), 'checkpoint');
  await reset(places.due.key({ organizationId, consumer: 'webhooks', id: hook.id }), 'due_at');
  await invoke('wakeDueWebhooks', {});
  await arrived(hook, 2);
  expect(hook.receiver.bodies.map(({ sequence }) => sequence)).toEqual([
    hook.start + 1,
    hook.start + 1,
  ]);
});
