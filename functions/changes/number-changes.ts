import { entriesOf, numberChanges, numberingGrants } from '../../lib/changes/numbering.ts';
import { serveStream } from '../../lib/handlers/stream.ts';
import { defineStreamConsumer } from '../../lib/operations/operation.ts';
import { outbox, outboxEntry } from '../../lib/table/keys.ts';

export const operation = defineStreamConsumer({
  id: 'numberChanges',
  summary: 'Numbers what changed in leads and wallets, in one order for each organization.',
  partitions: Object.values(outbox),
  table: numberingGrants,
  organizationOf: (key) => outboxEntry(key)?.organizationId ?? '',

  async handle(organizationId, keys, table) {
    await numberChanges(table, organizationId, entriesOf(keys));
  },
});

export const handler = serveStream(operation);
