import { marshall } from '@aws-sdk/util-dynamodb';
import type { ExampleRequest } from '../../functions/example.ts';
import { toBody } from '../../lib/handlers/handed-over.ts';
import type { Definition } from '../../lib/operations/definition.ts';
import type { Key } from '../../lib/table/keys.ts';

/** An operation's path, with parameters and query filled in. */
export const pathOf = (
  operation: { path: string },
  { path = {}, query = {} }: ExampleRequest,
): string => {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_all, name) => path[name] ?? '');
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((one): [string, string] => [name, one]),
    ),
  );
  return parameters.size > 0 ? `${filled}?${parameters}` : filled;
};

interface BusEvent {
  type: string;
  detail: { event_id: string; organization_id: string };
}

/** The event that a function without a route gets. */
export const eventFor = (definition: Definition, { body }: ExampleRequest): unknown => {
  const { kind } = definition;
  if (kind === 'queue') return { Records: (body as BusEvent[]).map(queued) };
  if (kind === 'worker') return { Records: [message(body)] };
  if (kind !== 'stream') return body;
  const items = body as Key[];
  if (definition.takes === 'feed items') return { Records: items.map(streamed) };
  // The numbering function gets messages of its queue: then it has all of its time, and hands nothing over.
  const byOrganization = Map.groupBy(items, definition.organizationOf);
  return {
    Records: [...byOrganization].map(([id, keys]) => message(toBody(id, keys), id)),
  };
};

/** An event as the bus puts it into the queue. */
const queued = ({ type, detail }: BusEvent) =>
  message(
    {
      version: '0',
      id: detail.event_id,
      'detail-type': type,
      source: 'billing',
      account: '000000000000',
      time: '2026-11-21T00:00:00Z',
      region: 'us-east-1',
      resources: [],
      detail,
    },
    detail.event_id,
  );

/** A message as SQS gives it to a function. */
const message = (body: unknown, messageId = 'sample') => ({
  messageId,
  receiptHandle: 'sample',
  body: JSON.stringify(body),
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '1795228800000',
    SenderId: 'sample',
    ApproximateFirstReceiveTimestamp: '1795228800000',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:sample',
  awsRegion: 'us-east-1',
});

/** A record of the table's stream. */
const streamed = ({ pk, sk, ...item }: Key, index: number) => ({
  eventID: String(index + 1),
  eventName: 'MODIFY',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  awsRegion: 'us-east-1',
  dynamodb: {
    ApproximateCreationDateTime: 1_795_229_287,
    Keys: marshall({ pk, sk }),
    NewImage: marshall({ pk, sk, ...item }),
    SequenceNumber: String(index + 1),
    SizeBytes: 400,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
});
