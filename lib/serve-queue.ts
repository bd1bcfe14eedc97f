import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { limitOf } from './deadline.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import type { AnyQueueConsumer } from './operation.ts';
import { openTable, type TableClient } from './table/client.ts';
import { issueDetails } from './validation.ts';

/** What EventBridge puts into a queue. Of its own fields, only these matter. */
const envelope = z.object({
  id: z.string(),
  'detail-type': z.string(),
  detail: z.record(z.string(), z.unknown()),
});

interface Delivery {
  record: SQSRecord;
  message: unknown;
  eventId: unknown;
}

/** Errors after which the same message may well succeed. What comes after it waits with it. */
const passing = new Set<ErrorCode>(['write_conflict', 'unavailable', 'timeout']);

/**
 * Makes the Lambda handler of a queue's consumer. Each message succeeds or fails by itself; one that
 * keeps failing ends in the dead-letter queue.
 */
export const serveQueue = (consumer: AnyQueueConsumer) => {
  let opened: TableClient | undefined;
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    opened ??= openTable();
    const table = opened.during(limitOf(context));
    const failed = new Set<string>();

    const done = ({ record, eventId }: Delivery, error?: unknown): void => {
      const line = {
        operation: consumer.id,
        request_id: context.awsRequestId,
        message_id: record.messageId,
        event_id: eventId,
      };
      if (error === undefined) {
        console.info(line);
        return;
      }
      failed.add(record.messageId);
      console.error({ ...line, ...described(error) });
    };

    const inOrder = async (deliveries: Delivery[]): Promise<void> => {
      let stopped: unknown;
      for (const delivery of deliveries) {
        try {
          if (stopped !== undefined) throw stopped;
          if (Date.now() > table.deadline) throw new ApiError('timeout');
          await consumer.handle(delivery.message, table);
          done(delivery);
        } catch (error) {
          done(delivery, error);
          if (error instanceof ApiError && passing.has(error.code)) stopped = error;
        }
      }
    };

    const groups = new Map<string, Delivery[]>();
    for (const record of event.Records) {
      const delivery: Delivery = { record, message: undefined, eventId: undefined };
      try {
        read(consumer, delivery);
        const key = consumer.orderedBy(delivery.message);
        groups.set(key, [...(groups.get(key) ?? []), delivery]);
      } catch (error) {
        done(delivery, error);
      }
    }
    await Promise.all([...groups.values()].map(inOrder));
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
  };
};

/** Fills in what the record's body says. Throws `invalid_request` for what is not an event. */
const read = (consumer: AnyQueueConsumer, delivery: Delivery): void => {
  const { detail, 'detail-type': type } = parse(envelope, json(delivery.record.body));
  delivery.eventId = detail.event_id;
  if ('type' in detail) {
    const details = [{ path: 'type', message: 'is the detail-type, and not in the detail' }];
    throw new ApiError('invalid_request', { details });
  }
  delivery.message = parse(consumer.message, { type, ...detail });
};

const json = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new ApiError('invalid_request', { details: [{ path: '', message: 'must be JSON' }] });
  }
};

const parse = <S extends z.core.$ZodType>(schema: S, input: unknown): z.core.output<S> => {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  throw new ApiError('invalid_request', { details: issueDetails(result.error) });
};

/** Why a message failed, in one line of the log. */
const described = (error: unknown) => {
  if (!(error instanceof ApiError)) {
    const { name, message, stack } = error as Error;
    return { code: 'internal', why: `${name}: ${message}`, stack };
  }
  const details = error.details?.map(({ path, message }) => `${path} ${message}`.trim());
  return { code: error.code, why: details?.join('; ') ?? error.message };
};
