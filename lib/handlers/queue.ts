import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { eventId } from '../billing/fields.ts';
import { ApiError, invalid } from '../errors/errors.ts';
import type { AnyQueueConsumer } from '../operations/kinds/queue-consumer.ts';
import { issueDetails } from '../schema/issues.ts';
import { openTable, type TableClient } from '../table/client.ts';
import { timeBoundsOf } from '../table/deadline.ts';
import { describeDetails, writeLine } from './log.ts';
import { isTransient, measure } from './measurement.ts';

/** What EventBridge puts into a queue. Of its own fields, only these matter. */
const busEvent = z.object({
  id: z.string(),
  'detail-type': z.string(),
  detail: z.record(z.string(), z.unknown()),
});

/** A message of the queue, with its event, or with why that can't be read. */
interface QueueMessage {
  id: string;
  eventId?: string | undefined;
  organizationId?: string;
  message?: unknown;
  unreadable?: unknown;
}

/**
 * Makes the Lambda handler of a queue's consumer. Each message succeeds or fails by itself; one that
 * keeps failing ends in the dead-letter queue. Messages of one organization are handled one after another.
 */
export const serveQueue = (consumer: AnyQueueConsumer) => {
  let opened: TableClient | undefined;
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    opened ??= openTable();
    const open = opened;
    const limit = timeBoundsOf(context);
    const failed: string[] = [];

    const handle = async (
      delivery: QueueMessage,
      stopped: ApiError | undefined,
    ): Promise<ApiError | undefined> => {
      const table = open.during(limit);
      const { error, metrics } = await measure(table, async () => {
        if (delivery.unreadable ?? stopped) throw delivery.unreadable ?? stopped;
        if (Date.now() > table.deadline) throw new ApiError('timeout');
        await consumer.handle(delivery.message, table);
      });
      if (error) failed.push(delivery.id);
      writeLine({ ...lineOf(consumer.id, context, delivery), ...metrics, ...whyOf(error) }, error);
      return error;
    };

    /** Where one may succeed later, those after it wait with it. */
    const inOrder = async (deliveries: QueueMessage[]): Promise<void> => {
      let stopped: ApiError | undefined;
      for (const delivery of deliveries) {
        const error = await handle(delivery, stopped);
        if (error && isTransient(error)) stopped ??= error;
      }
    };

    const deliveries = event.Records.map((record) => read(consumer, record));
    const groups = Map.groupBy(deliveries, ({ organizationId, id }) => organizationId ?? id);
    await Promise.all([...groups.values()].map(inOrder));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
};

const read = (consumer: AnyQueueConsumer, { messageId: id, body }: SQSRecord): QueueMessage => {
  const delivery: QueueMessage = { id };
  try {
    const { detail, 'detail-type': type } = parse(busEvent, parseJson(body));
    delivery.eventId = z.safeParse(eventId(), detail.event_id).data;
    if ('type' in detail) throw invalid('type', 'is the detail-type, and not in the detail');
    delivery.message = parse(consumer.message, { type, ...detail });
    delivery.organizationId = consumer.organizationOf(delivery.message);
  } catch (error) {
    delivery.unreadable = error;
  }
  return delivery;
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw invalid('', 'must be JSON');
  }
};

const parse = <S extends z.core.$ZodType>(schema: S, input: unknown): z.core.output<S> => {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  throw new ApiError('invalid_request', { details: issueDetails(result.error) });
};

const lineOf = (
  operation: string,
  { awsRequestId }: Context,
  { id, eventId, organizationId }: QueueMessage,
) => ({
  operation,
  request_id: awsRequestId,
  message_id: id,
  event_id: eventId,
  organization_id: organizationId,
});

/** A failure of any kind is an error in the log: an event that is not applied is lost stars. */
const whyOf = (error: ApiError | undefined) => {
  if (!error || error.code === 'internal') return {};
  return { why: error.details ? describeDetails(error.details) : error.message };
};
