import { expect, test } from 'vitest';
import { type ChangeType, changeTypes } from '../../../../lib/changes/change.ts';
import { numberChanges } from '../../../../lib/changes/numbering.ts';
import { putMember } from '../../../../lib/organizations/members.ts';
import { openTable } from '../../../../lib/table/client.ts';
import { places } from '../../../../lib/table/keys.ts';
import { newProgress } from '../../../../lib/webhooks/delivery/delivery-rules.ts';
import { updateWebhookWrites } from '../../../../lib/webhooks/writes.ts';
import { commitIn } from '../../../support/origin.ts';
import { World } from '../../../support/webhook-world.ts';
import '../../support.ts';

// What a webhook is sent of settings.

const table = openTable();

/** A webhook for these types, after which it was told of itself, and then of a member and a lead. */
const delivered = async (types: ChangeType[] | undefined) => {
  const world = await World.with(table, 0, 0);
  const { organizationId, webhookId, now } = world;
  const update = { set: { types }, progress: newProgress(0), now };
  const commit = commitIn(table);
  await commit(updateWebhookWrites(organizationId, (await world.item)!, update));
  const userId = crypto.randomUUID();
  const member = { user_id: userId, role: 'agent', name: 'Ana' } as const;
  await commit(putMember(organizationId, member, Date.now()));
  const webhookFacts = places.webhookFact.partition({ organizationId, webhookId });
  const memberFacts = places.memberFact.partition({ organizationId, userId });
  await numberChanges(table, organizationId, [
    { pk: webhookFacts, version: 2 },
    { pk: memberFacts, version: 1 },
  ]);
  await world.change([crypto.randomUUID()], 1);
  await world.work();
  return { sequences: world.sequences.toSorted(), item: await world.item };
};

test.each<[string, ChangeType[] | undefined, number[]]>([
  ['that names no types is sent the lead alone', undefined, [4]],
  ['that names a setting is sent that', ['member.added'], [3]],
  ['that names all types is sent all, and nothing about itself', [...changeTypes], [3, 4]],
])('a webhook %s', async (_, types, sequences) => {
  const { sequences: sent, item } = await delivered(types);
  expect(sent).toEqual(sequences);
  // What it is not sent is done with.
  expect(item).toMatchObject({ checkpoint: 4, done: [], waiting: [] });
});

test('another webhook is sent that one was made and changed', async () => {
  const world = await World.with(table, 0, 0);
  const other = crypto.randomUUID();
  const { organizationId, now } = world;
  const item = (await world.item)!;
  const theirs = { ...item, ...places.webhook.key({ organizationId, webhookId: other }) };
  const commit = commitIn(table);
  const update = { set: { types: ['webhook.updated' as const] }, progress: newProgress(0), now };
  await commit(updateWebhookWrites(organizationId, item, update));
  await table.transact([{ Put: { Item: { ...theirs, status: 'disabled' } } }]);
  await commit(updateWebhookWrites(organizationId, theirs, { set: { description: 'x' }, now }));
  const pk = places.webhookFact.partition({ organizationId, webhookId: other });
  await numberChanges(table, organizationId, [{ pk, version: 2 }]);
  await world.work();
  expect(world.posted).toMatchObject([{ type: 'webhook.updated', webhook_id: other }]);
});
