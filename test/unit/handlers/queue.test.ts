import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { ApiError } from '../../../lib/errors/errors.ts';
import { serveQueue } from '../../../lib/handlers/queue.ts';
import { defineBackground } from '../../../lib/operations/kinds/background.ts';

// What a batch's failures are, by a consumer that fails as it is told.

const message = z.strictObject({ type: z.literal('told'), key: z.string(), fail: z.string() });

const deliver = async (
  messages: [key: string, fail: string, more?: object][],
  milliseconds = 60_000,
) => {
  const handled: string[] = [];
  const handler = serveQueue(
    defineBackground({
      kind: 'queue',
      id: 'told',
      summary: 'Fails as it is told.',
      events: { source: 'test', types: ['told'] },
      message,
      table: ['PutItem'],
      organizationOf: ({ key }) => key,
      async handle(messages) {
        handled.push(messages.map(({ content }) => content.key).join(''));
        if (messages.some(({ content }) => content.fail === 'all')) throw new TypeError('a bug');
        return messages.map(({ content: { fail } }) => {
          if (fail === 'bug') return new TypeError('a bug');
          return fail === 'no' ? undefined : new ApiError('invalid_request');
        });
      },
    }),
  );
  const Records = messages.map(([key, fail, more], i) => ({
    messageId: String(i),
    body: JSON.stringify({ id: 'e', 'detail-type': 'told', detail: { key, fail, ...more } }),
  }));
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => milliseconds };
  const answer = await handler({ Records } as SQSEvent, context as Context);
  const failed = answer.batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier));
  return { failed: failed.sort(), handled: handled.sort().join(' ') };
};

beforeAll(() => void vi.stubEnv('AWS_REGION', 'us-east-1'));
afterAll(() => void vi.unstubAllEnvs());

test.each(['for good', 'bug'])('what fails %s fails alone', async (fail) => {
  const batch = ['no', fail, 'no'].map((one): [string, string] => ['a', one]);
  expect(await deliver(batch)).toEqual({ failed: [1], handled: 'aaa' });
});

test('messages of one key are handled together, in their order, and those of others apart', async () => {
  const batch: [string, string, object?][] = [
    ['a', 'all'],
    ['b', 'for good'],
    ['a', 'no'],
    ['b', 'no', { unknown: 1 }],
    ['b', 'no'],
  ];
  expect(await deliver(batch)).toEqual({ failed: [0, 1, 2, 3], handled: 'aa bb' });
});

test('when the time is up, what is not done is delivered again', async () => {
  const batch = ['a', 'b'].map((key): [string, string] => [key, 'no']);
  expect(await deliver(batch, 1000)).toEqual({ failed: [0, 1], handled: '' });
});

test('the type of an event is its detail-type, whatever the detail says', async () => {
  const batch: Parameters<typeof deliver>[0] = [
    ['a', 'no', { type: 'told' }],
    ['b', 'no', { type: 'other' }],
  ];
  expect(await deliver(batch)).toEqual({ failed: [0, 1], handled: '' });
});

test('the log names the fields that an event may not have, but nothing else that its sender wrote', async () => {
  const line = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => line.mockRestore());
  const why = async (more: object) => {
    await deliver([['a', 'no', more]]);
    return line.mock.lastCall?.[0].why;
  };
  expect(await why({ starz: 1 })).toBe('starz is not known here');
  for (const name of ['a\nb', '\u001b[2J', 'maria@example.com', 'Maria Silva']) {
    expect(await why({ [name]: 1 })).toBe('a field is not known here');
  }
});
