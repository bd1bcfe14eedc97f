import { describeRecord, eventOut } from '../lib/events-out.ts';
import { defineStreamConsumer } from '../lib/operation.ts';
import { serveStream } from '../lib/serve-stream.ts';

export const operation = defineStreamConsumer({
  id: 'describeEvents',
  summary: 'Describes what changed in leads and wallets, as events.',
  event: eventOut,

  handle: (records) => records.flatMap(describeRecord),
});

export const handler = serveStream(operation);
