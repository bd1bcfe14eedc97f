import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { ApiError } from '../../../lib/errors/errors.ts';
import { patienceMs, serveQueue } from '../../../lib/handlers/queue.ts';
import { defineBackground, type Untold } from '../../../lib/operations/kinds/background.ts';

// What a batch's failures are, by a consumer that fails as it is told.

const message = z.strictObject({ type: z.literal('told'), key: z.string(), fail: z.string() });

const serve = (handled: string[]) =>
  serveQueue(
    defineBackground({
      kind: 'queue',
      id: 'told',
      summary: 'Fails as it is told.',
      source: 'test',
      message,
      partner: {
        sourcePrefix: 'aws.partner/test/',
        types: ['foretold'],
        unreadablePrefix: 'thin.',
        adviceOnUnreadable: 'Send others.',
        async translate(event) {
          const { key, outcome } = event as { key: string; outcome?: Untold['outcome'] };
          if (key === 'bad') throw new ApiError('invalid_request');
          return outcome ? { outcome } : { message: { type: 'told' as const, key, fail: 'no' } };
        },
      },
      table: ['PutItem DUE'],
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
/** A batch of bodies; `more` are a record's own fields. */
const deliverAll = async (bodies: readonly object[], more: object = {}, milliseconds = 60_000) => {
  const handled: string[] = [];
  const Records = bodies.map((body, i) => ({
    messageId: String(i),
    body: JSON.stringify({ id: 'e', source: 'test', ...body }),
    ...more,
  }));
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => milliseconds };
  const answer = await serve(handled)({ Records } as SQSEvent, context as Context);
  const failed = answer.batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier));
  return { failed: failed.sort(), handled: handled.sort().join(' ') };
};

const deliver = (messages: [key: string, fail: string, more?: object][], milliseconds?: number) => {
  const bodies = messages.map(([key, fail, more]) => ({
    'detail-type': 'told',
    detail: { key, fail, ...more },
  }));
  return deliverAll(bodies, {}, milliseconds);
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

test('what another source sent fails, whatever it says, and is told by its id', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => told.mockRestore());
  const event = { 'detail-type': 'told', detail: { key: 'a', fail: 'no', event_id: 'one' } };
  const misspelled = ['tset', 'Test', undefined].map((source) => ({ ...event, source }));
  expect(await deliverAll(misspelled)).toEqual({ failed: [0, 1, 2], handled: '' });
  const lines = told.mock.calls.map(([line]) => line);
  const line = { code: 'invalid_request', event_id: 'one', why: 'source must be test' };
  expect(lines).toEqual(misspelled.map(() => expect.objectContaining(line)));
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

const foretold = (key: string, outcome?: Untold['outcome'], source = 'aws.partner/test/1') => ({
  source,
  'detail-type': 'foretold',
  detail: { key, outcome, type: 'foretold' },
});

test('an event of a partner is handled as what it comes to, beside messages of the same key', async () => {
  const own = { source: 'test', 'detail-type': 'told', detail: { key: 'a', fail: 'no' } };
  const batch = [foretold('a'), own, foretold('bad'), foretold('b', 'ignored'), foretold('a')];
  expect(await deliverAll(batch)).toEqual({ failed: [2], handled: 'aaa' });
});

test('an event of another source is never told in the partner’s words', async () => {
  const sources = ['test', 'aws.partner/other/1', 'x.aws.partner/test/1'];
  const batch = sources.map((source) => foretold('a', undefined, source));
  expect(await deliverAll(batch)).toEqual({ failed: [0, 1, 2], handled: '' });
});

test.each<[string, object, number[]]>([
  ['for the first time', {}, [0]],
  ['a moment before an hour', { ageMs: patienceMs - 60_000 }, [0]],
  ['for an hour', { ageMs: patienceMs }, []],
])(
  'an event that waits is delivered again: tried %s',
  async (_when, { ageMs }: { ageMs?: number }, failed) => {
    const line = vi.spyOn(console, 'info').mockImplementation(() => {});
    onTestFinished(() => line.mockRestore());
    const attributes = { ApproximateFirstReceiveTimestamp: String(Date.now() - (ageMs ?? 0)) };
    expect(await deliverAll([foretold('a', 'waiting')], { attributes })).toEqual({
      failed,
      handled: '',
    });
    const outcome = failed.length > 0 ? 'waiting' : 'let_go';
    expect(line.mock.lastCall?.[0]).toMatchObject({ outcome, operation: 'told' });
  },
);
