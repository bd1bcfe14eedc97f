import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import type { AnyScheduledTask, AnyWorker, WorkerNumbers } from '../operations/kinds/background.ts';
import { openWakes, type Wakes } from '../queues/wakes.ts';
import { openTable, type TableClient } from '../table/client.ts';
import { timeBoundsOf } from '../table/retry.ts';
import { writeLine } from './log.ts';
import { measure } from './measurement.ts';

/** What is opened once for an environment. */
const openLazily = () => {
  let opened: { table: TableClient; wakes: Wakes } | undefined;
  return () => {
    opened ??= { table: openTable(), wakes: openWakes() };
    return opened;
  };
};

const ofOrganization = z.object({ organization_id: z.string() });

/** Makes the Lambda handler of a worker. Its queue delivers a message that fails again. */
export const serveWorker = (worker: AnyWorker) => {
  const open = openLazily();
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const { table: opened, wakes } = open();
    const handle = async ({ messageId, body, attributes }: SQSRecord): Promise<boolean> => {
      const table = opened.during(timeBoundsOf(context));
      const message = z.safeParse(worker.message, parseJson(body));
      const isRedelivered = Number(attributes.ApproximateReceiveCount) > 1;
      const told: WorkerNumbers = {};
      const tell = (more: WorkerNumbers) => void Object.assign(told, more);
      const { error, metrics } = await measure(table, async () => {
        if (!message.success) throw new ApiError('invalid_request');
        await worker.handle(message.data, table, { wakes, isRedelivered, tell });
      });
      const line = {
        operation: worker.id,
        request_id: context.awsRequestId,
        message_id: messageId,
        organization_id: z.safeParse(ofOrganization, message.data).data?.organization_id,
      };
      writeLine({ ...line, ...told, ...metrics }, error);
      return error !== undefined;
    };
    const failed = await Promise.all(Records.map(handle));
    const failures = Records.filter((_, i) => failed[i]);
    return { batchItemFailures: failures.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};

/** The value of a JSON text; undefined for any other text. */
const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Makes the Lambda handler of a function that the clock starts. The next start does what fails. */
export const serveScheduled = (scheduled: AnyScheduledTask) => {
  const open = openLazily();
  return async (_event: unknown, context: Context): Promise<void> => {
    const { table: opened, wakes } = open();
    const table = opened.during(timeBoundsOf(context));
    const line = { operation: scheduled.id, request_id: context.awsRequestId };
    const { error, metrics } = await measure(table, () => scheduled.handle(table, wakes));
    writeLine({ ...line, ...metrics }, error);
  };
};
