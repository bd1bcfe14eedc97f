import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { ApiError } from '../../../lib/errors/errors.ts';
import { serveWorker } from '../../../lib/handlers/worker.ts';
import { defineBackground, type Worker } from '../../../lib/operations/kinds/background.ts';

beforeAll(() => void vi.stubEnv('AWS_REGION', 'us-east-1'));
afterAll(() => void vi.unstubAllEnvs());

const message = z.strictObject({ key: z.string() });

/** A worker that does so with each message. Answers which messages failed. */
const worker = (handle: Worker<'PutItem DUE', typeof message>['handle']) => {
  const about = { id: 'told', summary: 'Does as it is told.', timeoutSeconds: 1, concurrency: 1 };
  const handler = serveWorker(
    defineBackground({ kind: 'worker', ...about, message, table: ['PutItem DUE'], handle }),
  );
  return async (...messages: { body: string; attributes: object }[]) => {
    const Records = messages.map((one, i) => ({ messageId: String(i), ...one }));
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };
    const answer = await handler({ Records } as SQSEvent, context as Context);
    return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
};

test('a message that can’t be read fails alone, as one that is refused does', async () => {
  const handled: string[] = [];
  const deliver = worker(async ({ key }) => {
    handled.push(key);
    if (key === 'bad') throw new ApiError('unavailable');
  });
  const bodies = ['{"key":"a"}', '{"key":', '{"lock":"b"}', '{"key":"bad"}', '{"key":"c"}'];
  const failed = await deliver(...bodies.map((body) => ({ body, attributes: {} })));
  expect(failed).toEqual(['1', '2', '3']);
  expect(handled).toEqual(['a', 'bad', 'c']);
});

test('a message is told to be given again from its second time on', async () => {
  const told: boolean[] = [];
  const deliver = worker(
    async (_message, _table, { isRedelivered }) => void told.push(isRedelivered),
  );
  for (const ApproximateReceiveCount of ['1', '2', '10']) {
    await deliver({ body: '{"key":"a"}', attributes: { ApproximateReceiveCount } });
  }
  expect(told).toEqual([false, true, true]);
});
