import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { serveWorker } from '../../lib/handlers/worker.ts';
import { ApiError } from '../../lib/operations/errors.ts';
import { defineWorker } from '../../lib/operations/operation.ts';

beforeAll(() => void vi.stubEnv('AWS_REGION', 'us-east-1'));
afterAll(() => void vi.unstubAllEnvs());

test('a message that can’t be read fails alone, as one that is refused does', async () => {
  const handled: string[] = [];
  const handler = serveWorker(
    defineWorker({
      id: 'told',
      summary: 'Fails as it is told.',
      message: z.strictObject({ key: z.string() }),
      table: [],
      seconds: 1,
      atOnce: 1,
      async handle({ key }) {
        handled.push(key);
        if (key === 'bad') throw new ApiError('unavailable');
      },
    }),
  );
  const bodies = ['{"key":"a"}', '{"key":', '{"lock":"b"}', '{"key":"bad"}', '{"key":"c"}'];
  const Records = bodies.map((body, i) => ({ messageId: String(i), body, attributes: {} }));
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };
  const answer = await handler({ Records } as SQSEvent, context as Context);
  expect(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual([
    '1',
    '2',
    '3',
  ]);
  expect(handled).toEqual(['a', 'bad', 'c']);
});

test('a message is told to be given again from its second time on', async () => {
  const told: boolean[] = [];
  const handler = serveWorker(
    defineWorker({
      id: 'told',
      summary: 'Notes what it is told.',
      message: z.strictObject({}),
      table: [],
      seconds: 1,
      atOnce: 1,
      handle: async (_message, _table, { again }) => void told.push(again),
    }),
  );
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };
  for (const ApproximateReceiveCount of ['1', '2', '10']) {
    const Records = [{ messageId: '0', body: '{}', attributes: { ApproximateReceiveCount } }];
    await handler({ Records } as SQSEvent, context as Context);
  }
  expect(told).toEqual([false, true, true]);
});
