import { afterEach, expect, test } from 'vitest';
import { assertNoClock, Clock } from '../src/clock/clock.ts';
import { machineNow, shiftDate, shiftMs } from '../src/clock/shifted-date.ts';
import { LocalQueue } from '../src/events-in/queue.ts';
import { startSchedules } from '../src/schedules.ts';
import { State } from '../src/state/state.ts';

afterEach(() => shiftDate(0));

const day = 24 * 60 * 60 * 1000;
/** By how much a time is ahead of the machine's, in days. */
const daysAhead = (time: number) => (time - machineNow()) / day;

test('Date tells another time, whichever way it is asked, and is otherwise as it was', () => {
  shiftDate(10 * day);
  expect(daysAhead(Date.now())).toBeCloseTo(10, 3);
  expect(daysAhead(Date.parse(new Date().toISOString()))).toBeCloseTo(10, 3);
  expect(daysAhead(Date.parse(Date()))).toBeCloseTo(10, 3);
  expect(daysAhead(Reflect.construct(Date, []).getTime())).toBeCloseTo(10, 3);
  expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
  expect(new Date(2026, 0, 2).getDate()).toBe(2);
  expect(Date.UTC(1970, 0)).toBe(0);
  expect(new Date()).toBeInstanceOf(Date);
  class Own extends Date {}
  expect(new Own()).toBeInstanceOf(Own);
  expect(daysAhead(new Own().getTime())).toBeCloseTo(10, 3);
  shiftDate(0);
  expect(daysAhead(Date.now())).toBeCloseTo(0, 3);
});

test('a clock is moved on, never back, and ends with years of four digits', async () => {
  const clock = new Clock(day);
  await clock.move(2 * day);
  await clock.move(0);
  expect(shiftMs()).toBe(3 * day);
  await expect(clock.move(-1)).rejects.toThrow('does not go back');
  await expect(clock.move(10_000 * 365 * day)).rejects.toThrow('ends in 9999');
  expect(shiftMs()).toBe(3 * day);
  clock.close();
  expect(shiftMs()).toBe(0);
});

test('whoever lives at its time is told before anything is done at it, and each work ends before the next', async () => {
  const clock = new Clock(0);
  const done: string[] = [];
  const note = (what: string) => void done.push(`${what} ${Math.round(daysAhead(Date.now()))}`);
  clock.onMove(async () => {
    note('begun');
    await new Promise(setImmediate);
    note('ended');
  });
  clock.onMove(() => note('after'));
  const forget = clock.onShift(() => note('told'));
  await clock.move(day);
  expect(done).toEqual(['told 1', 'begun 1', 'ended 1', 'after 1']);
  forget();
  await clock.move(day);
  expect(done.slice(4)).toEqual(['begun 2', 'ended 2', 'after 2']);
});

test('a state is of use with a clock at its time or later, and with no other', async () => {
  const state = new State();
  assertNoClock(state);
  const clock = new Clock(0);
  clock.keepIn(state);
  await clock.move(5 * day);
  clock.close();
  expect(() => new Clock(4.9 * day).keepIn(state)).toThrow(/^This database is at .*later one\.$/);
  expect(() => assertNoClock(state)).toThrow('has a clock of its own');
  const later = new Clock(5.1 * day);
  later.keepIn(state);
  later.close();
  state.close();
});

test('a message that is delayed comes when the clock has passed its time', async () => {
  const clock = new Clock(0);
  const bodies: string[] = [];
  const settings = {
    ...{ logicalId: 'Queue', arn: 'arn', batchSize: 1, partialResponses: true },
    ...{ maxReceiveCount: 3, deadLetters: 'Dead' },
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const invoke = async (event: { Records: { body: string }[] }) => {
    bodies.push(...event.Records.map(({ body }) => body));
    if (bodies.length === 2) resolve();
    return { kind: 'result' as const, payload: undefined };
  };
  const queue = new LocalQueue(settings as never, { invoke, deadLetter: () => {} } as never);
  clock.onMove(() => queue.lookAgain());
  queue.send('in ten minutes', 10 * 60_000);
  queue.send('in five', 5 * 60_000);
  await clock.move(4 * 60_000);
  await new Promise(setImmediate);
  expect(bodies).toEqual([]);
  await clock.move(1 * 60_000);
  await clock.move(5 * 60_000);
  await promise;
  expect(bodies).toEqual(['in five', 'in ten minutes']);
  queue.close();
});

test('what is scheduled runs once for however long a move, and is done when it returns', async () => {
  const clock = new Clock(0);
  const times: string[] = [];
  const invoke = async (_fn: unknown, event: unknown) => {
    await new Promise(setImmediate);
    times.push((event as { time: string }).time);
    return { kind: 'result' as const, payload: undefined };
  };
  const assembly = {
    functions: [{ logicalId: 'Fn' }],
    schedules: [{ ruleLogicalId: 'Rule', functionLogicalId: 'Fn', everyMinutes: 5 }],
  };
  const schedules = startSchedules(assembly as never, { invoke }, new State());
  clock.onMove(() => schedules.lookAgain());
  await clock.move(4 * 60_000);
  expect(times).toEqual([]);
  await clock.move(60_000);
  expect(times).toHaveLength(1);
  await clock.move(30 * day);
  expect(times).toHaveLength(2);
  expect(daysAhead(Date.parse(times[1]!))).toBeCloseTo(30, 1);
  await clock.move(60_000);
  expect(times).toHaveLength(2);
  schedules.close();
});
