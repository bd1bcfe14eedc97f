import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { ApiError } from '../operations/errors.ts';
import type { AnyScheduled, AnyWorker } from '../operations/operation.ts';
import { openTable, type TableClient } from '../table/client.ts';
import { openWakes, type Wakes } from '../webhooks/wakes.ts';
import { limitOf } from './deadline.ts';
import { type Line, writeLine } from './log.ts';

/** What is opened once for an environment. */
const opening = () => {
  let opened: { table: TableClient; wakes: Wakes } | undefined;
  return () => {
    opened ??= { table: openTable(), wakes: openWakes() };
    return opened;
  };
};

/** Does it with the table, and writes a line. Throws an error that Lambda may log: with nothing of its own. */
const logged = async (
  line: Pick<Line, 'operation' | 'request_id' | 'organization_id' | 'message_id'>,
  table: TableClient,
  work: () => Promise<void>,
): Promise<ApiError | undefined> => {
  const startedAt = Date.now();
  let error: ApiError | undefined;
  try {
    await work();
  } catch (thrown) {
    error = thrown instanceof ApiError ? thrown : new ApiError('internal', { cause: thrown });
  } finally {
    table.end();
  }
  const cost = { duration_ms: Date.now() - startedAt, capacity_units: table.units };
  writeLine({ ...line, ...cost, code: error?.code }, error);
  return error;
};

/** Makes the Lambda handler of a worker. A message that fails is given again by its queue. */
export const serveWorker = (worker: AnyWorker) => {
  const open = opening();
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const { table: opened, wakes } = open();
    const handle = async ({ messageId, body, attributes }: SQSRecord): Promise<boolean> => {
      const table = opened.during(limitOf(context));
      const message = z.safeParse(worker.message, JSON.parse(body));
      const line = {
        operation: worker.id,
        request_id: context.awsRequestId,
        message_id: messageId,
        organization_id: (message.data as { organization_id?: string } | undefined)
          ?.organization_id,
      };
      const again = Number(attributes.ApproximateReceiveCount) > 1;
      const error = await logged(line, table, async () => {
        if (!message.success) throw new ApiError('invalid_request');
        await worker.handle(message.data, table, { wakes, again });
      });
      return error !== undefined;
    };
    const failed = await Promise.all(Records.map(handle));
    const again = Records.filter((_, i) => failed[i]);
    return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};

/** Makes the Lambda handler of a function that the clock starts. What fails is done by its next start. */
export const serveScheduled = (scheduled: AnyScheduled) => {
  const open = opening();
  return async (_event: unknown, context: Context): Promise<void> => {
    const { table: opened, wakes } = open();
    const table = opened.during(limitOf(context));
    const line = { operation: scheduled.id, request_id: context.awsRequestId };
    await logged(line, table, () => scheduled.handle(table, wakes));
  };
};
