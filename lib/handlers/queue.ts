import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { eventId } from '../billing/terms/fields.ts';
import { ApiError, invalid } from '../errors/errors.ts';
import type { AnyQueueConsumer } from '../operations/kinds/background.ts';
import { issueDetails } from '../schema/issues.ts';
import { openTable, type TableClient } from '../table/client.ts';
import { timeBoundsOf } from '../table/retry.ts';
import { describeDetails, writeLine } from './log.ts';
import { measure, toApiError } from './measurement.ts';

/** What EventBridge puts into a queue. Of its own fields, only these matter. */
const busEvent = z.object({
  id: z.string(),
  'detail-type': z.string(),
  detail: z.record(z.string(), z.unknown()),
});

/** What was delivered, as far as it could be read. */
interface Delivery {
  id: string;
  eventId?: string | undefined;
}

/** A message, and whose it is. */
interface Message extends Delivery {
  organizationId: string;
  busEventId: string;
  content: unknown;
}

/**
 * Makes the Lambda handler of a queue's consumer. Messages of one organization are handled together, but each succeeds
 * or fails by itself; one that keeps failing ends in the dead-letter queue.
 */
export const serveQueue = (consumer: AnyQueueConsumer) => {
  let opened: TableClient | undefined;
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    opened ??= openTable();
    const open = opened;
    const limit = timeBoundsOf(context);
    const failed: string[] = [];

    const settle = (delivery: Delivery | Message, thrown: unknown, metrics = noMetrics): void => {
      const error = thrown === undefined ? undefined : toApiError(thrown);
      if (error) failed.push(delivery.id);
      writeLine({ ...lineOf(consumer.id, context, delivery), ...metrics, ...whyOf(error) }, error);
    };

    const handle = async (messages: readonly Message[]): Promise<void> => {
      const table = open.during(limit);
      const { output, error, metrics } = await measure(table, async () => {
        if (Date.now() > table.deadline) throw new ApiError('timeout');
        return consumer.handle(
          messages.map(({ content, busEventId }) => ({ content, busEventId })),
          table,
        );
      });
      const { duration_ms } = metrics;
      const capacity_units = metrics.capacity_units / messages.length;
      messages.forEach((message, i) => {
        settle(message, error ?? output?.[i], { duration_ms, capacity_units });
      });
    };

    const messages: Message[] = [];
    for (const record of event.Records) {
      const delivery: Delivery = { id: record.messageId };
      try {
        messages.push(read(consumer, record, delivery));
      } catch (error) {
        settle(delivery, error);
      }
    }
    const groups = Map.groupBy(messages, ({ organizationId }) => organizationId);
    await Promise.all([...groups.values()].map(handle));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
};

const noMetrics = { duration_ms: 0, capacity_units: 0 };

/** Throws if it can't be read. What is known of it by then is in the delivery. */
const read = (consumer: AnyQueueConsumer, { body }: SQSRecord, delivery: Delivery): Message => {
  const { id: busEventId, detail, 'detail-type': type } = parse(busEvent, parseJson(body));
  delivery.eventId = z.safeParse(eventId(), detail.event_id).data;
  if ('type' in detail) throw invalid('type', 'is the detail-type, and not in the detail');
  const content = parse(consumer.message, { type, ...detail });
  return { ...delivery, organizationId: consumer.organizationOf(content), busEventId, content };
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

const lineOf = (operation: string, { awsRequestId }: Context, delivery: Delivery | Message) => ({
  operation,
  request_id: awsRequestId,
  message_id: delivery.id,
  event_id: delivery.eventId,
  organization_id: 'organizationId' in delivery ? delivery.organizationId : undefined,
});

/** A failure of any kind is an error in the log: an event that is not applied is lost stars. */
const whyOf = (error: ApiError | undefined) => {
  if (!error) return {};
  const { code, details, message } = error;
  if (code === 'internal') return { code };
  return { code, why: details ? describeDetails(details) : message };
};
