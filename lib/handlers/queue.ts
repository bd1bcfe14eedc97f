import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { ApiError, toApiError } from '../errors/errors.ts';
import type { AnyQueueConsumer, Untold } from '../operations/kinds/background.ts';
import { openTable, type TableClient } from '../table/client.ts';
import { timeBoundsOf } from '../table/retry.ts';
import { describeDetails, type LogLine, writeLine } from './log.ts';
import { measure } from './measurement.ts';
import { type QueueDelivery, type QueueMessage, readMessage } from './queue-messages.ts';

/**
 * Milliseconds for which an event of a partner waits for what has to be there first. Then it is let go, as it may be about
 * what others sell. The queue delivers for a little longer, before a message becomes a dead letter.
 */
export const patienceMs = 60 * 60 * 1000;

/** The result of a delivery, once it is settled. */
interface SettledMessage extends Pick<LogLine, 'duration_ms' | 'capacity_units'> {
  error?: ApiError | undefined;
  untold?: Untold | undefined;
}

/**
 * Makes the Lambda handler of a queue's consumer. Messages of one organization are handled together, but each succeeds or
 * fails by itself; a message that keeps failing ends in the dead-letter queue.
 */
export const serveQueue = (consumer: AnyQueueConsumer) => {
  let opened: TableClient | undefined;
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    opened ??= openTable();
    const open = opened;
    const limit = timeBoundsOf(context);
    const failed: string[] = [];

    const settle = (
      delivery: QueueDelivery,
      { error, untold, ...metrics }: SettledMessage,
    ): void => {
      if (error || untold?.outcome === 'waiting') failed.push(delivery.id);
      const line = { ...lineOf(consumer.id, context, delivery), ...metrics, ...untold };
      writeLine({ ...line, ...whyOf(error) }, error);
    };

    /** The message, with what it has cost to read; undefined where there is none, and the delivery is settled. */
    const receive = async (record: SQSRecord) => {
      const delivery: QueueDelivery = { id: record.messageId };
      const table = open.during(limit);
      const { output, error, metrics } = await measure(table, () =>
        readMessage(consumer, record, delivery, table),
      );
      if (output && 'content' in output) return { ...output, units: metrics.capacity_units };
      settle(delivery, { ...metrics, error, untold: output && letGoIn(output, record) });
      return undefined;
    };

    const handle = async (
      messages: readonly (QueueMessage & { units: number })[],
    ): Promise<void> => {
      const table = open.during(limit);
      const { output, error, metrics } = await measure(table, async () => {
        if (Date.now() > table.deadline) throw new ApiError('timeout');
        return consumer.handle(
          messages.map(({ content, busEventId, fingerprint }) => ({
            content,
            busEventId,
            fingerprint,
          })),
          table,
        );
      });
      const { duration_ms } = metrics;
      messages.forEach((message, i) => {
        const thrown = error ?? output?.[i];
        settle(message, {
          duration_ms,
          capacity_units: metrics.capacity_units / messages.length + message.units,
          error: thrown === undefined ? undefined : toApiError(thrown),
        });
      });
    };

    const received = await Promise.all(event.Records.map(receive));
    const messages = received.filter((one) => one !== undefined);
    const groups = Map.groupBy(messages, ({ organizationId }) => organizationId);
    await Promise.all([...groups.values()].map(handle));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
};

/** Lets an event that waits go, once it was tried for long enough. */
const letGoIn = (untold: Untold, { attributes }: SQSRecord): Untold => {
  const triedMs = Date.now() - Number(attributes?.ApproximateFirstReceiveTimestamp);
  const isOver = untold.outcome === 'waiting' && triedMs >= patienceMs;
  return isOver ? { ...untold, outcome: 'let_go' } : untold;
};

const lineOf = (operation: string, { awsRequestId }: Context, delivery: QueueDelivery) => ({
  operation,
  request_id: awsRequestId,
  message_id: delivery.id,
  event_id: delivery.eventId,
  organization_id: delivery.organizationId,
});

/** A failure of any kind is an error in the log: an event that is not applied is lost stars. */
const whyOf = (error: ApiError | undefined) => {
  if (!error) return {};
  const { code, details, message } = error;
  if (code === 'internal') return { code };
  return { code, why: details ? describeDetails(details) : message };
};
