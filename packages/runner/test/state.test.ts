import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CliError,
  type Invocation,
  LocalQueue,
  type LogLine,
  State,
} from '@leads-and-stars/runner';
import type { SQSEvent } from 'aws-lambda';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EventBus } from '../src/events-in/event-bus.ts';
import { startQueues } from '../src/events-in/queues.ts';
import { startSchedules } from '../src/schedules.ts';
import { Messages } from '../src/state/messages.ts';
import { stateFileOf } from '../src/state/state.ts';
import type { Assembly } from '../src/template/assembly.ts';
import { eventually, ownDirectory } from './support.ts';

// What a runner has promised is there again after it ended, in whatever way.

const directory = ownDirectory();
let files = 0;
const newFile = () => join(directory, `state-${files++}`);

const opened = (file: string): State => {
  const state = new State(file);
  onTestFinished(() => state.close());
  return state;
};

/** The state as a runner finds it that is started after another one was killed now. */
const afterKill = (file: string): State => {
  const copy = newFile();
  for (const end of ['', '-wal']) {
    if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  }
  return opened(copy);
};

const done: Invocation = { kind: 'result', payload: '{"batchItemFailures":[]}' };
const failed: Invocation = { kind: 'error', errorType: 'Error', errorMessage: 'failed' };

const usual = {
  ...{ logicalId: 'Queue', arn: 'queue', deadLetters: 'DeadLetters' },
  ...{ batchSize: 1, partialResponses: true, maxReceiveCount: 2 },
};

/** A queue of a state, to a function that is told each body, and how often it was received. Deliveries end with the test. */
const queueIn = (
  state: State,
  handle: (body: string) => Invocation | undefined,
  settings: Partial<typeof usual> & { fifo?: { deduplicates: boolean } } = {},
) => {
  const received: string[] = [];
  const invoke = async ({ Records: [record] }: SQSEvent) => {
    const { body, attributes } = record!;
    received.push(`${body} ${attributes.ApproximateReceiveCount}`);
    return handle(body) ?? new Promise<never>(() => {});
  };
  const queue = new LocalQueue({ ...usual, ...settings }, { invoke, deadLetter() {} }, state);
  onTestFinished(() => queue.close());
  return { queue, received };
};

test('messages survive, each with its delay and with the deliveries that failed; those that were handled do not come again', async () => {
  const file = newFile();
  const first = queueIn(opened(file), (body) => (body === 'slow' ? undefined : done));
  first.queue.send('slow');
  first.queue.send('done');
  await eventually('one is done', () => first.received.includes('done 1'));
  first.queue.send('later', 60_000);
  first.queue.send('last');
  await eventually('all are received', () => first.received.length === 3);
  await wait(0);

  const second = queueIn(afterKill(file), () => done);
  await eventually('it comes again', () => second.received.length > 0);
  vi.useFakeTimers({ now: Date.now() + 59_000 });
  onTestFinished(() => void vi.useRealTimers());
  // What was being delivered was received, and did not fail.
  expect(second.received).toEqual(['slow 2']);
  const third = queueIn(afterKill(file), () => undefined);
  await vi.advanceTimersByTimeAsync(500);
  expect(third.received).toEqual(['slow 2']);
  await vi.advanceTimersByTimeAsync(1000);
  expect(third.received).toEqual(['slow 2', 'later 1']);
});

test('a stop is no failure: only deliveries that failed make a dead letter; that survives, and is given again on demand', async () => {
  const file = newFile();
  let state = opened(file);
  queueIn(state, () => undefined).queue.send('slow');
  for (let kills = 0; kills < 5; kills++) {
    const { received } = queueIn(state, () => undefined);
    await eventually('it is received', () => received.length === 1);
    expect(received).toEqual([`slow ${kills + 1}`]);
    state = afterKill(state.database.location()!);
  }
  const { received } = queueIn(state, () => failed);
  await eventually('it failed twice', () => received.length === 2);
  await wait(0);

  const assembly = {
    functions: [{ logicalId: 'Taker', name: 'taker' }],
    queues: [{ ...usual, functionLogicalId: 'Taker' }],
    otherQueues: [{ logicalId: 'DeadLetters' }],
  } as unknown as Assembly;
  const again = (redrives: boolean) => {
    const bodies: string[] = [];
    const invoke = async (_fn: object, event: unknown) => {
      bodies.push(...(event as SQSEvent).Records.map(({ body }) => body));
      return done;
    };
    const options = { logs: (_name: string, _line: LogLine) => {}, redrives };
    const queues = new Map();
    const kept = startQueues(
      queues,
      assembly,
      { invoke },
      { ...options, state: afterKill(state.database.location()!) },
    );
    onTestFinished(() => queues.get('Queue').close());
    return { ...kept, bodies };
  };
  expect(again(false)).toEqual({ kept: 1, bodies: [] });
  const redriven = again(true);
  expect(redriven.kept).toBe(0);
  await eventually('it is given again', () => redriven.bodies.length === 1);
});

test('a group of a FIFO queue goes on in its order, after what failed in it; what was sent is known for five minutes', async () => {
  const file = newFile();
  const fifo = { fifo: { deduplicates: true } };
  const first = queueIn(opened(file), (body) => (body === 'a1' ? failed : done), fifo);
  const ids = ['a1', 'a2', 'b1'].map((body) => first.queue.send(body, 0, body[0]));
  await eventually('a2 waits for a1', () => first.received.includes('b1 1'));
  await wait(0);

  const second = queueIn(afterKill(file), () => done, fifo);
  expect(second.queue.send('b1', 0, 'b')).toBe(ids[2]);
  second.queue.send('a3', 0, 'a');
  await eventually('all are received', () => second.received.length === 3);
  expect(second.received).toEqual(['a1 2', 'a2 1', 'a3 1']);
});

test('a message whose first delivery ends with the runner is first received anew: it is not old for what was off', async () => {
  const file = newFile();
  const first = queueIn(opened(file), () => undefined);
  first.queue.send('slow');
  await eventually('it is received', () => first.received.length === 1);
  vi.useFakeTimers({ now: Date.now() + 2 * 24 * 60 * 60 * 1000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const records: SQSEvent['Records'] = [];
  const invoke = async (event: SQSEvent) => {
    records.push(...event.Records);
    return done;
  };
  const queue = new LocalQueue(usual, { invoke, deadLetter() {} }, afterKill(file));
  onTestFinished(() => queue.close());
  await eventually('it comes again', () => records.length === 1);
  const { ApproximateFirstReceiveTimestamp, SentTimestamp } = records[0]!.attributes;
  expect(Number(ApproximateFirstReceiveTimestamp)).toBe(Date.now());
  expect(Number(SentTimestamp)).toBeLessThan(Date.now() - 24 * 60 * 60 * 1000);
});

test('all events of a request of PutEvents are kept, or none', () => {
  const file = newFile();
  const state = opened(file);
  const { queue } = queueIn(state, () => undefined);
  const delivery = { bus: 'in', pattern: { source: ['s'], 'detail-type': ['t'] }, queue: usual };
  const assembly = { eventBuses: ['in'], eventDeliveries: [delivery] } as unknown as Assembly;
  const bus = new EventBus(assembly, new Map([['Queue', queue]]), state);
  const entry = { EventBusName: 'in', Source: 's', DetailType: 't' };
  const put = (...texts: string[]) =>
    bus.putEvents(
      { Entries: texts.map((Detail) => ({ ...entry, Detail })) },
      undefined,
      (event) => {
        if (event.detail.breaks) throw new Error('it breaks');
      },
    );
  const kept = () =>
    new Messages(afterKill(file)).of('Queue').map(({ body }) => JSON.parse(body).detail);
  expect(put('{"a":1}', '{"a":2}')?.FailedEntryCount).toBe(0);
  expect(() => put('{"a":3}', '{"breaks":true}')).toThrow('it breaks');
  expect(kept()).toEqual([{ a: 1 }, { a: 2 }]);
});

test('a schedule goes on where it was, and is started at once where that is over, also if it was cut off', async () => {
  const minute = 60_000;
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const file = newFile();
  const assembly = {
    functions: [{ logicalId: 'Task' }],
    schedules: [{ ruleLogicalId: 'Rule', functionLogicalId: 'Task', everyMinutes: 5 }],
  } as unknown as Assembly;
  const start = (state: State, ends = true) => {
    const starts: number[] = [];
    const invoke = async () => {
      starts.push(Date.now() / minute);
      return ends ? done : new Promise<never>(() => {});
    };
    const schedules = startSchedules(assembly, { invoke }, state);
    onTestFinished(() => schedules.close());
    return starts;
  };
  const first = start(opened(file));
  await vi.advanceTimersByTimeAsync(11 * minute);
  expect(first).toEqual([5, 10]);

  const second = start(afterKill(file), false);
  const [third, fourth] = [afterKill(file), afterKill(file)];
  await vi.advanceTimersByTimeAsync(5 * minute);
  expect(second).toEqual([15]);
  const later = start(third);
  await vi.advanceTimersByTimeAsync(0);
  expect(later).toEqual([16]);
  await vi.advanceTimersByTimeAsync(6 * minute);
  expect(later).toEqual([16, 21]);
  vi.setSystemTime(0);
  const back = start(fourth);
  await vi.advanceTimersByTimeAsync(6 * minute);
  expect(back).toEqual([5]);
});

test('a file is one runner’s at a time, and a table’s', () => {
  const file = newFile();
  const state = new State(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(() => new State(file)).toThrow(new CliError(`Another runner has ${file}.`));
  state.setPlace('a', '1');
  state.close();
  expect(opened(file).place('a')).toBe('1');

  const other = newFile();
  writeFileSync(other, 'This is not a database.'.repeat(100));
  expect(() => new State(other)).toThrow(/^.* is of no use \(.*\): move it away\.$/);

  const fileOf = (arn: string) => stateFileOf({ file }, arn);
  expect(fileOf('one')).toMatch(new RegExp(`^${file}\\.state-[0-9a-f]{8}$`));
  expect(fileOf('other')).not.toBe(fileOf('one'));
  expect(stateFileOf({ endpoint: '', stateFile: 'kept' }, 'one')).toMatch(/^kept-/);
  expect([stateFileOf('memory', 'one'), stateFileOf({ endpoint: '' }, 'one')]).toEqual([
    undefined,
    undefined,
  ]);
});
