import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import { type ApiError, toApiError } from '../errors/errors.ts';
import type { AnyStreamConsumer } from '../operations/kinds/background.ts';
import { openQueueSender, type QueueSender } from '../queues/queue-sender.ts';
import { openWakes, type Wakes } from '../queues/wakes.ts';
import { openTable, type TableClient } from '../table/client.ts';
import { issuerPrefix, type Key } from '../table/keys.ts';
import { type TimeBounds, timeBoundsOf } from '../table/retry.ts';
import { groupOf, handleMessages, toBody } from './handed-over.ts';
import { writeLine } from './log.ts';
import { mayPass, measure } from './measurement.ts';

/** The things that a function of the stream opens, once for an environment. */
export interface StreamSurroundings {
  table: TableClient;
  wakes: Wakes;
  /** The queue of what was handed over. */
  queue: QueueSender;
}

const openAll = (): StreamSurroundings => ({
  table: openTable(),
  wakes: openWakes(),
  queue: openQueueSender('HANDED_OVER_QUEUE_URL'),
});

/** The stream's function attempts to number what an organization changed once: too short a time for a second attempt. */
const attemptMs = 50;
/** Milliseconds after the attempt's time at which what is still under way is aborted. */
const abortAfterMs = 150;
/** Milliseconds for which an organization that was handed over is handed over at once: its queue's workers would only be met. */
const handOverForMs = 5000;

/** The records of a batch for one organization. */
interface OrganizationRecords {
  keys: Key[];
  /** The record that its next delivery has to start with. */
  first: string;
}

// docs/decisions/facts.md
/**
 * Makes the Lambda handler of a stream's consumer. A shard is shared by organizations, so none may hold it up: what is not
 * done in a moment is handed over to a queue in which each organization waits for itself alone. That invokes the same
 * function, which then has all of its time. Only what the queue does not take is given again by the stream.
 */
export const serveStream = (
  consumer: AnyStreamConsumer,
  { open = openAll, durationMs = attemptMs } = {},
) => {
  let opened: StreamSurroundings | undefined;
  const handedOverUntil = new Map<string, number>();

  const handleRecords = async (
    records: readonly DynamoDBRecord[],
    context: Context,
    { table: whole, wakes, queue }: StreamSurroundings,
  ): Promise<DynamoDBBatchResponse> => {
    const limit = timeBoundsOf(context);
    const deadline = Math.min(limit.deadline, Date.now() + durationMs);
    const bounds: TimeBounds = {
      deadline,
      endMs: Math.min(limit.endMs, deadline + abortAfterMs),
    };

    /** Answers whether its records have to be given again. */
    const handle = async ([organizationId, { keys }]: [
      string,
      OrganizationRecords,
    ]): Promise<boolean> => {
      const isHandedOver = (handedOverUntil.get(organizationId) ?? 0) > Date.now();
      const table = whole.during(bounds);
      const { error, metrics } = await measure(table, async () => {
        if (!isHandedOver) await consumer.handle(organizationId, keys, table, wakes);
      });
      const line = {
        operation: consumer.id,
        request_id: context.awsRequestId,
        organization_id: organizationId,
        records: keys.length,
        ...metrics,
      };
      if (!isHandedOver && !error) {
        handedOverUntil.delete(organizationId);
        writeLine(line);
        return false;
      }
      if (error) handedOverUntil.set(organizationId, Date.now() + handOverForMs);
      const failure = await handOver(queue, organizationId, keys);
      const outcome = failure ? 'retried' : 'handed_over';
      const bug = error && !mayPass(error) ? error : undefined;
      writeLine({ ...line, outcome }, bug ?? failure);
      return failure !== undefined;
    };

    const groups = [...groupByOrganization(consumer, records)];
    const isLeft = await Promise.all(groups.map(handle));
    const firsts = groups.filter((_, i) => isLeft[i]).map(([, { first }]) => first);
    return { batchItemFailures: firsts.map((itemIdentifier) => ({ itemIdentifier })) };
  };

  return async (
    event: DynamoDBStreamEvent | SQSEvent,
    context: Context,
  ): Promise<DynamoDBBatchResponse | SQSBatchResponse> => {
    opened ??= open();
    return isOfQueue(event)
      ? handleMessages(consumer, event.Records, context, opened)
      : handleRecords(event.Records, context, opened);
  };
};

const isOfQueue = (event: DynamoDBStreamEvent | SQSEvent): event is SQSEvent =>
  event.Records.some((record) => 'body' in record);

const handOver = async (
  queue: QueueSender,
  organizationId: string,
  keys: readonly Key[],
): Promise<ApiError | undefined> => {
  try {
    await queue.send(toBody(organizationId, keys), { group: groupOf(organizationId) });
    return undefined;
  } catch (error) {
    return toApiError(error);
  }
};

/** Whether a record comes only so that its consumers are invoked: infra/stream-mapping.ts. */
export const isHeartbeat = ({ dynamodb }: DynamoDBRecord): boolean =>
  dynamodb?.Keys?.pk?.S?.startsWith(issuerPrefix) ?? false;

const groupByOrganization = (
  consumer: AnyStreamConsumer,
  records: readonly DynamoDBRecord[],
): Map<string, OrganizationRecords> => {
  const groups = new Map<string, OrganizationRecords>();
  for (const record of records) {
    if (isHeartbeat(record)) continue;
    const { dynamodb = {} } = record;
    const key: Key = { pk: dynamodb.Keys?.pk?.S ?? '', sk: dynamodb.Keys?.sk?.S ?? '' };
    const organizationId = consumer.organizationOf(key);
    const group = groups.get(organizationId);
    if (group) group.keys.push(key);
    else groups.set(organizationId, { keys: [key], first: dynamodb.SequenceNumber ?? '' });
  }
  return groups;
};
