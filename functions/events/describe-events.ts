import { describeRecord, eventOut } from '../../lib/events/events-out.ts';
import { serveStream } from '../../lib/handlers/stream.ts';
import { defineStreamConsumer } from '../../lib/operations/operation.ts';

export const operation = defineStreamConsumer({
  id: 'describeEvents',
  summary: 'Describes what changed in leads and wallets, as events.',
  event: eventOut,

  handle: (records) => records.flatMap(describeRecord),
});

export const handler = serveStream(operation);
