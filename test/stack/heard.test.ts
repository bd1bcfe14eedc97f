import { expect, test } from 'vitest';
import { CloudWatch, type Lines, type Minute, type Rung } from '../support/cloudwatch.ts';
import { evaluate } from '../support/metric-math.ts';
import { synthesized } from './synthesized.ts';

// What is heard of a service with 3,000 customers: the alarms of the stack, on what would be measured and logged in each
// minute. That functions write such lines: test/unit/handlers/heard.test.ts.

const cloudWatch = new CloudWatch(synthesized({ organizations: 3000 }));

const line = (group: string, of: object, count: number): Lines => ({ group, line: of, count });
const answered = (status: string, count: number) => line('access', { status }, count);
const failed = (code: string, count: number) => line('routed', { message: { code } }, count);
const refused = (code: string, count: number) => line('queue', { message: { code } }, count);

/** An hour's eleventh minute and the like: `i` counts from 0. */
const isOf = (i: number, every: number, at = 0) => i % every === at;

/** A usual minute. Some of 3,000 customers are always at a limit, have a bad token, or send what is wrong. */
const usual = (i: number): Minute => ({
  metrics: {
    Count: 3000,
    ...(isOf(i, 7) && { '5XXError': 2 }),
    Latency: 4,
    'Invocations renewIssuerKeys': isOf(i, 5) ? 1 : 0,
    'Invocations wakeDueWebhooks': isOf(i, 5, 1) ? 1 : 0,
    'Invocations numberChanges': 40,
    'Invocations publishChanges': 40,
    SuccessfulRequestLatency: 1200,
    // In five minutes fewer than it takes to be an incident.
    'ThrottledRequests GetItem': isOf(i, 11) ? 1 : 0,
    Throttles: isOf(i, 60, 17) ? 1 : 0,
    ConsumedReadCapacityUnits: 40_000,
    ConsumedWriteCapacityUnits: 20_000,
    NumberOfMessagesReceived: 50,
    NumberOfMessagesDeleted: 50,
    'ApproximateAgeOfOldestMessage applyWalletEventsQueue': 2,
    'ApproximateAgeOfOldestMessage WakesQueue': 3,
    'IteratorAge numberChanges': 900,
    'IteratorAge publishChanges': 900,
  },
  lines: [
    answered('200', 2900),
    answered('401', 80),
    answered('429', isOf(i, 5) ? 3 : 1),
    ...(isOf(i, 45) ? [failed('internal', 2)] : []),
    failed('timeout', isOf(i, 30) ? 1 : 0),
  ],
});

const withMore = (minute: Minute, metrics: Minute['metrics'], ...lines: Lines[]): Minute => ({
  metrics: { ...minute.metrics, ...metrics },
  lines: [...minute.lines, ...lines],
});

/** What rings in so many hours, which are usual but for what is done to some of their minutes. */
const ring = (hours: number, change: (minute: Minute, i: number) => Minute = (one) => one): Rung =>
  cloudWatch.ring(Array.from({ length: hours * 60 }, (_, i) => change(usual(i), i)));

/** Changes the minutes from here to there. */
const between =
  (from: number, to: number, change: (minute: Minute, i: number) => Minute) =>
  (minute: Minute, i: number) =>
    i >= from && i < to ? change(minute, i) : minute;

const nothing: Rung = { wakes: {}, tells: {} };

test('a usual day of 3,000 customers is not heard', () => {
  expect(ring(48)).toEqual(nothing);
});

test('that day costs more than 20 USD, of which a smaller service is told', () => {
  const small = new CloudWatch(synthesized());
  const day = Array.from({ length: 1440 }, (_, i) => usual(i));
  expect(small.ring(day)).toEqual({ wakes: {}, tells: { spending: 1 } });
});

test('one organization whose requests end in internal wakes somebody, whatever the others do', () => {
  const ofOne = between(300, 305, (minute) =>
    withMore(minute, { '5XXError': 2 }, failed('internal', 2)),
  );
  expect(ring(12, ofOne)).toEqual({ wakes: { 'server-errors-internal': 1 }, tells: {} });
});

const without = (minute: Minute, ...names: string[]): Minute['metrics'] =>
  Object.fromEntries(Object.entries(minute.metrics).filter(([name]) => !names.includes(name)));

test('everybody who gets 401 wakes somebody, and many who do not', () => {
  const share = (unauthenticated: number) =>
    between(300, 330, ({ metrics }) => ({
      metrics: { ...metrics, Count: 3000 },
      lines: [answered('401', unauthenticated), answered('200', 3000 - unauthenticated)],
    }));
  expect(ring(12, share(2900))).toEqual({ wakes: { 'logins-refused': 1 }, tells: {} });
  expect(ring(12, share(2600))).toEqual(nothing);
  const fewAtNight = between(300, 330, (minute) => ({
    metrics: { ...without(minute, 'Latency', '5XXError'), Count: 3 },
    lines: [answered('401', 3)],
  }));
  expect(ring(12, fewAtNight)).toEqual(nothing);
});

test.each([
  ['at the end of a period', 300],
  ['in the midst of one', 307],
])('no requests at all where there were some wakes somebody, once: %s', (_, from) => {
  const silent = between(from, 720, (minute) => ({
    metrics: without(minute, 'Count', '5XXError', 'Latency'),
    lines: [],
  }));
  expect(ring(12, silent)).toEqual({ wakes: { 'no-requests': 1 }, tells: {} });
});

test('a service that nobody uses at night wakes nobody', () => {
  const night = (minute: Minute, i: number): Minute => {
    const count = [6, 3, 1, 0][Math.floor(i / 60) % 4]!;
    const rest = without(minute, 'Count', 'Latency', '5XXError');
    return { metrics: { ...rest, ...(count > 0 && { Count: count }) }, lines: [] };
  };
  expect(ring(12, night)).toEqual(nothing);
});

test.each(['renewIssuerKeys', 'wakeDueWebhooks'])(
  'the clock that does not start %s any more wakes somebody',
  (id) => {
    const stopped = between(300, 420, (minute) => ({
      ...minute,
      metrics: without(minute, `Invocations ${id}`),
    }));
    const name = 'scheduled-functions-failing-stopped';
    expect(ring(12, stopped)).toEqual({ wakes: { [name]: 1 }, tells: {} });
  },
);

/** An event of billing that is delivered each minute for an hour, and then is a dead letter. */
const delivered =
  (code: string) =>
  (minute: Minute, i: number): Minute => {
    if (i < 300) return minute;
    if (i >= 360) {
      return withMore(minute, {
        'ApproximateNumberOfMessagesVisible applyWalletEventsDeadLetters': 1,
      });
    }
    return withMore(minute, { NumberOfMessagesReceived: 51 }, refused(code, 1));
  };

test.each(['invalid_request', 'event_id_reused', 'insufficient_stars'])(
  'an event of billing that is refused with %s is told once, and wakes nobody',
  (code) => {
    const tells = { 'dead-letters-applyWalletEvents': 1 };
    expect(ring(12, delivered(code))).toEqual({ wakes: {}, tells });
  },
);

test('an event of billing that fails by our mistake wakes somebody before it is a dead letter', () => {
  expect(ring(12, delivered('internal'))).toEqual({
    wakes: { 'events-late-applyWalletEvents-failing': 1 },
    tells: { 'dead-letters-applyWalletEvents': 1 },
  });
});

test('ten times 429 of one customer are told, and wake nobody', () => {
  const atLimit = between(300, 301, (minute) => withMore(minute, {}, answered('429', 10)));
  expect(ring(12, atLimit)).toEqual({ wakes: {}, tells: { 'rate-limited': 1 } });
});

test.each([
  ['routed', { message: { code: 'internal', cause: { name: 'wallet_invariant' } } }],
  ['queue', { message: { code: 'internal', cause: { name: 'wallet_invariant' } } }],
])('one wallet that can’t be right wakes somebody, by a line of %s', (group, of) => {
  const once = between(300, 301, (minute) => withMore(minute, {}, line(group, of, 1)));
  expect(ring(12, once)).toEqual({ wakes: { 'wallet-invariant': 1 }, tells: {} });
});

test('metric math is done as CloudWatch does it', () => {
  const metrics = { a: [1, undefined, 5, 0], b: [2, 2, undefined, 4] };
  const of = (expression: string) => evaluate(expression, metrics, 4);
  expect(of('a + b * 2')).toEqual([5, undefined, undefined, 8]);
  expect(of('(FILL(a, 0) + FILL(b, 9)) / 2')).toEqual([1.5, 1, 7, 2]);
  expect(of('IF(FILL(a, 0) < 1 AND DIFF(FILL(a, 0)) <= -1, 1, 0)')).toEqual([undefined, 1, 0, 1]);
  expect(of('IF(a >= 5 OR b > 3, 100 * a, -1)')).toEqual([-1, undefined, undefined, 0]);
  expect(() => of('SEARCH(a)')).toThrow(/SEARCH is no metric/);
  expect(() => of('a b')).toThrow(/b is left over/);
});
