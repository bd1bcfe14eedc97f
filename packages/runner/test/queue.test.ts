import { type Invocation, LocalQueue, type State } from '@leads-and-stars/runner';
import type { SQSEvent } from 'aws-lambda';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from './support.ts';

// The runner's queue, as SQS and Lambda's event source mapping are documented to behave.

const result = (answer: unknown): Invocation => ({
  kind: 'result',
  payload: JSON.stringify(answer),
});

/** Until the test ends. */
const useFakeTimers = () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
};

type Settings = Partial<ConstructorParameters<typeof LocalQueue>[0]>;

/** A queue of one message a batch, unless told. */
const queueTo = (
  invoke: (event: SQSEvent) => Promise<Invocation>,
  settings: Settings = {},
  dead: string[] = [],
  state?: State,
) => {
  const usual = { arn: 'queue', batchSize: 1, partialResponses: true, maxReceiveCount: 2 };
  const names = { logicalId: 'Queue', deadLetters: 'DeadLetters' };
  const deadLetter = ({ body }: { body: string }) => void dead.push(body);
  return new LocalQueue({ ...names, ...usual, ...settings }, { invoke, deadLetter }, state);
};

/** Sends bodies at once to a function; tells its batches when every message is done or dead. */
const run = async (
  bodies: readonly string[],
  handle: (event: SQSEvent) => Invocation,
  settings: Settings = {},
) => {
  const batches: string[][] = [];
  const dead: string[] = [];
  const invoke = async (event: SQSEvent) => {
    batches.push(event.Records.map(({ body }) => body));
    return handle(event);
  };
  const queue = queueTo(invoke, { batchSize: 3, ...settings }, dead);
  for (const body of bodies) queue.send(body);
  await eventually('all are handled', () => batches.flat().length >= bodies.length);
  return { batches, dead, queue };
};

const failing = (body: string) => (event: SQSEvent) =>
  result({
    batchItemFailures: event.Records.filter((record) => record.body === body).map(
      ({ messageId }) => ({ itemIdentifier: messageId }),
    ),
  });

test('what is sent at once comes in batches, once where nothing fails', async () => {
  const { batches, dead } = await run(['a', 'b', 'c', 'd'], () =>
    result({ batchItemFailures: [] }),
  );
  expect([batches, dead]).toEqual([[['a', 'b', 'c'], ['d']], []]);
});

test('only the message that failed comes again, and is a dead letter in the end', async () => {
  const { batches, dead } = await run(['a', 'b'], failing('b'));
  await eventually('there is a dead letter', () => dead.length > 0);
  expect([batches, dead]).toEqual([[['a', 'b'], ['b']], ['b']]);
});

test('one that keeps failing waits twice as long each time, and no longer than a minute', async () => {
  useFakeTimers();
  const taken: number[] = [];
  const dead: string[] = [];
  const invoke = async (): Promise<Invocation> => {
    taken.push(Date.now());
    return { kind: 'error', errorType: 'Error', errorMessage: 'failed' };
  };
  const queue = queueTo(invoke, { maxReceiveCount: 13 }, dead);
  queue.send('a');
  await vi.runAllTimersAsync();
  // A turn of the event loop takes a millisecond of the fake clock.
  const waits = taken.slice(1).map((at, i) => at - taken[i]! - 1);
  expect(waits).toEqual([...Array.from({ length: 10 }, (_, i) => 100 * 2 ** i), 60_000, 60_000]);
  expect(dead).toEqual(['a']);
});

test.each<[string, Invocation]>([
  ['the function fails', { kind: 'error', errorType: 'Error', errorMessage: 'failed' }],
  ['it names a message that is not there', result({ batchItemFailures: [{ itemIdentifier: '' }] })],
])('the whole batch comes again where %s', async (_name, outcome) => {
  const { batches, dead } = await run(['a', 'b'], () => outcome);
  await eventually('both are dead letters', () => dead.length === 2);
  expect(batches.flat().sort()).toEqual(['a', 'a', 'b', 'b']);
});

test('failures that a function names count only where the template says so', async () => {
  const { batches, queue } = await run(['a', 'b'], failing('b'), { partialResponses: false });
  queue.send('c');
  await eventually('there are two batches', () => batches.length === 2);
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('whoever has the fewest under way comes first', async () => {
  const held: (() => void)[] = [];
  const taken: string[] = [];
  const invoke = async ({ Records }: SQSEvent) => {
    taken.push(...Records.map(({ body }) => body));
    await new Promise<void>((resolve) => held.push(resolve));
    return result({ batchItemFailures: [] });
  };
  const queue = queueTo(invoke, { atOnce: 2 });
  for (const body of ['a1', 'a2', 'a3', 'a4']) queue.send(body, 0, 'a');
  await eventually('two are under way', () => taken.length === 2);
  queue.send('b1', 0, 'b');
  queue.send('c1');
  for (const n of [3, 4, 5, 6]) {
    held.shift()?.();
    await eventually('the next one is taken', () => taken.length === n);
  }
  expect(taken).toEqual(['a1', 'a2', 'b1', 'a3', 'c1', 'a4']);
});

test('of a group of a FIFO queue one batch is under way, in order, and the others go on', async () => {
  const held: (() => void)[] = [];
  const taken: string[][] = [];
  const first = new Set(['a2']);
  const invoke = async ({ Records }: SQSEvent) => {
    taken.push(Records.map(({ body }) => body));
    await new Promise<void>((resolve) => held.push(resolve));
    const failed = Records.filter(({ body }) => first.delete(body));
    return result({
      batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })),
    });
  };
  const fifo = { deduplicates: false };
  const queue = queueTo(invoke, { batchSize: 2, maxReceiveCount: 3, fifo });
  for (const body of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.send(body, 0, 'a');
  await eventually('one batch is under way', () => taken.length === 1);
  queue.send('b1', 0, 'b');
  await eventually('the other group has its own', () => taken.length === 2);
  expect(taken).toEqual([['a1', 'a2'], ['b1']]);
  // What failed comes again before what was sent after it.
  for (const n of [3, 4]) {
    held.shift()!();
    if (n === 3) held.shift()!();
    await eventually('the next batch is taken', () => taken.length === n);
  }
  expect(taken.slice(2)).toEqual([
    ['a2', 'a3'],
    ['a4', 'a5'],
  ]);
});

test('a queue that deduplicates takes the same message of a group once in five minutes', () => {
  useFakeTimers();
  const queue = queueTo(async () => result(null), { fifo: { deduplicates: true } });
  const first = queue.send('x', 0, 'a');
  expect(queue.send('y', 0, 'a')).not.toBe(first);
  expect(queue.send('x', 0, 'b')).not.toBe(first);
  vi.advanceTimersByTime(5 * 60_000 - 1);
  expect(queue.send('x', 0, 'a')).toBe(first);
  vi.advanceTimersByTime(1);
  expect(queue.send('x', 0, 'a')).not.toBe(first);
  queue.close();
});
