import { numberChanges, numberingGrants } from '../../lib/changes/numbering.ts';
import { entriesOf, outboxEntry } from '../../lib/changes/outbox.ts';
import { serveStream } from '../../lib/handlers/stream.ts';
import { defineBackground } from '../../lib/operations/kinds/background.ts';
import { hasWebhooks } from '../../lib/organizations/limits.ts';
import { outbox, places, wakePrefix } from '../../lib/table/keys.ts';
import { usageConsumer } from '../../lib/usage/counted.ts';
import { webhooksConsumer } from '../../lib/webhooks/delivery/next-work.ts';

export const operation = defineBackground({
  kind: 'stream',
  takes: 'additions',
  id: 'numberChanges',
  summary: 'Numbers what changed, in one order for each organization.',
  partitions: [...Object.values(outbox), wakePrefix],
  table: numberingGrants,
  organizationOf: (key) => (outboxEntry(key) ?? places.wake.find(key))?.organizationId ?? '',

  async handle(organizationId, keys, table, wakes) {
    await numberChanges(table, organizationId, entriesOf(keys.filter(outboxEntry)));
    // A wake is sent where all was numbered before, too: whoever did that may have died before this.
    const isForAll = keys.some((key) => places.wake.find(key));
    const consumers = [
      ...((await hasWebhooks(table, organizationId)) ? [webhooksConsumer] : []),
      ...(isForAll || keys.some((key) => places.ledgerEntry.find(key)) ? [usageConsumer] : []),
    ];
    if (consumers.length === 0) return;
    const [consumer] = consumers.length === 1 ? consumers : [];
    await wakes.send({ organization_id: organizationId, consumer });
  },
});

export const handler = serveStream(operation);
