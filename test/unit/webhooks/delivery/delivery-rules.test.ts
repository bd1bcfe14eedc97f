import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dueWorkOf,
  longestRetryAfterMs,
  mostFailures,
  mostWaiting,
  moveCheckpoint,
  newProgress,
  nextDue,
  type Progress,
  replayFrom,
  resume,
  settle,
  waitsMs,
} from '../../../../lib/webhooks/delivery/delivery-rules.ts';
import type { Verdict } from '../../../../lib/webhooks/delivery/verdict.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';

const now = Date.parse('2026-11-22T00:00:00Z');
const [minute, hour] = [60_000, 3_600_000];
const failed = { kind: 'failed' } as const;
const delivered = { kind: 'delivered' } as const;
const inAnHour = { kind: 'failed', retryAfterMs: hour } as const;
const at = (progress: Progress, sequence: number, verdict: Verdict, t = now) =>
  settle(progress, { sequence, probe: false }, verdict, t);

/** A webhook that failed so often in a row, each time another change. */
const afterFailures = (count: number): Progress => {
  let progress = newProgress(0);
  for (let i = 1; i <= count; i++) progress = at(progress, i, failed).progress;
  return progress;
};

const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);
const sequencesOf = ({ waiting }: Progress) => waiting.map(({ sequence }) => sequence);

test('a change that fails is tried again after each wait in turn, and given up after the last', () => {
  let progress = newProgress(0);
  let t = now;
  for (const wait of waitsMs) {
    const settlement = at(progress, 1, failed, t);
    expect(settlement.outcome).toBe('failed');
    // Another change succeeds meanwhile: the endpoint is there.
    progress = at(settlement.progress, 2, delivered, t).progress;
    expect(dueWorkOf(progress, t + wait - 1)).toEqual({ kind: 'all', due: [] });
    expect(nextDue(progress, t)).toBe(t + wait);
    t += wait;
    expect(dueWorkOf(progress, t)).toEqual({ kind: 'all', due: [1] });
  }
  const last = at(progress, 1, failed, t);
  expect(last.outcome).toBe('given_up');
  expect(last.progress).toMatchObject({ waiting: [], givenUp: 1, status: 'active' });
});

describe('Retry-After', () => {
  test.each([
    ['a longer one counts, for the whole webhook', minute, minute],
    ['a shorter one leaves the wait as it is', 1000, 5000],
    ['none longer than a day counts', longestRetryAfterMs + 1, longestRetryAfterMs],
  ])('%s', (_what, retryAfterMs, wait) => {
    const { progress } = at(newProgress(0), 1, { kind: 'failed', retryAfterMs });
    const held = Math.min(retryAfterMs, longestRetryAfterMs);
    expect(dueWorkOf(progress, now + held - 1)).toEqual({ kind: 'nothing', until: now + held });
    expect(nextDue(progress, now)).toBe(now + held);
    expect(nextDue(progress, now + held)).toBe(now + wait);
    expect(dueWorkOf(progress, now + wait)).toEqual({ kind: 'all', due: [1] });
  });

  test('has the webhook looked at when it ends, also where what asked for it waits no more', () => {
    const waiting = [
      { sequence: 1, attempts: waitsMs.length, due: now },
      { sequence: 2, attempts: 8, due: now + 20 * hour },
    ];
    const { outcome, progress } = at({ ...newProgress(2), waiting }, 1, inAnHour);
    expect([outcome, sequencesOf(progress)]).toEqual(['given_up', [2]]);
    expect(nextDue(progress, now)).toBe(now + hour);
    // Once it has ended, what waits is next.
    expect(nextDue(progress, now + hour)).toBe(now + 20 * hour);
    expect(nextDue(replayFrom(progress, 2), now)).toBe(now + hour);
  });

  test('is not ended by a success that was under way, also where the failure pauses', () => {
    const paused = at(afterFailures(mostFailures - 1), mostFailures, inAnHour).progress;
    expect(paused.status).toBe('paused');
    const { progress } = at(paused, 11, delivered);
    expect(progress.status).toBe('active');
    expect(dueWorkOf(progress, now + hour - 1)).toEqual({ kind: 'nothing', until: now + hour });
    expect(nextDue(progress, now)).toBe(now + hour);
  });
});

/** What to attempt: what waits and is due, and what is new, by turns; of a paused webhook, what is new first. */
const chosen = (plan: ReturnType<typeof dueWorkOf>, turn: number, next: number | undefined) => {
  if (plan.kind === 'nothing') return undefined;
  if (plan.kind === 'probe') return next ?? plan.retry;
  return turn % 2 === 0 ? (plan.due[0] ?? next) : (next ?? plan.due[0]);
};

describe('a webhook is paused', () => {
  test('by the tenth failure in a row, not by the ninth, and gives up nothing by that', () => {
    expect(afterFailures(mostFailures - 1).status).toBe('active');
    const progress = afterFailures(mostFailures);
    expect(progress).toMatchObject({ status: 'paused', givenUp: 0 });
    expect(sequencesOf(progress)).toEqual(upTo(10));
  });

  test('and the failure that pauses it counts for no change: it may be the endpoint’s', () => {
    const attempts = waitsMs.length;
    const waiting = [{ sequence: 1, attempts, due: now }];
    const almost = { ...newProgress(1), failures: mostFailures - 1, waiting };
    const { progress, outcome } = at(almost, 1, failed);
    expect(outcome).toBe('failed');
    expect(progress).toMatchObject({ status: 'paused', givenUp: 0, waiting: [{ attempts }] });
  });

  test('and probed by one change after the other at growing waits, at last once a day', () => {
    let progress = afterFailures(mostFailures);
    let t = now;
    let last = mostFailures;
    const probed: number[] = [];
    for (let i = 0; i < 13; i++) {
      const wait = waitsMs[Math.min(i, waitsMs.length - 1)]!;
      expect(dueWorkOf(progress, t + wait - 1)).toEqual({ kind: 'nothing', until: t + wait });
      t += wait;
      // Of each two probes, one has something new.
      const sequence = chosen(dueWorkOf(progress, t), 0, i % 2 ? ++last : undefined)!;
      probed.push(sequence);
      progress = settle(progress, { sequence, probe: true }, failed, t).progress;
    }
    expect(probed).toEqual([1, 11, 3, 12, 5, 13, 7, 14, 9, 15, 11, 16, 13]);
    expect(sequencesOf(progress)).toEqual(upTo(16));
    expect(progress.waiting.slice(mostFailures).every(({ attempts }) => attempts === 0)).toBe(true);
  });

  test('until one succeeds: then everything that waits is tried at its time', () => {
    const waiting = [
      { sequence: 1, attempts: 5, due: now + hour },
      { sequence: 3, attempts: 1, due: now },
    ];
    const paused = { ...afterFailures(mostFailures), waiting };
    const probe = { sequence: 3, probe: true };
    const { progress } = settle(paused, probe, delivered, now + minute);
    expect(progress).toMatchObject({ status: 'active', failures: 0, probes: 0 });
    expect(dueWorkOf(progress, now + minute)).toEqual({ kind: 'all', due: [] });
    expect(dueWorkOf(progress, now + hour)).toEqual({ kind: 'all', due: [1] });
  });

  test('and what was under way then counts if it succeeds, and not if it fails', () => {
    const paused = afterFailures(mostFailures);
    expect(at(paused, 11, failed).progress).toEqual(paused);
    const done = [...paused.done, 11];
    expect(at(paused, 11, delivered).progress).toMatchObject({ status: 'active', done });
  });
});

describe('with a thousand changes that wait', () => {
  /** All failed once but one, which failed three times. None is due. */
  const full = (failures = 0): Progress => ({
    ...newProgress(mostWaiting),
    failures,
    waiting: upTo(mostWaiting).map((sequence) => ({
      sequence,
      attempts: sequence === 500 ? 3 : 1,
      due: now + minute,
    })),
  });

  test('the next that fails takes the place of the one that failed most often', () => {
    const room = { ...full(), waiting: full().waiting.slice(1) };
    expect(at(room, 2000, failed)).toMatchObject({ outcome: 'failed', progress: { givenUp: 0 } });
    const { progress, outcome, eviction } = at(full(), 2000, failed);
    expect(outcome).toBe('failed');
    expect(eviction).toEqual({ sequence: 500, attempts: 3, due: now + minute });
    expect(progress).toMatchObject({ status: 'active', givenUp: 1 });
    expect(sequencesOf(progress)).toEqual([...upTo(mostWaiting).filter((n) => n !== 500), 2000]);
    // Of those that failed as often, the oldest.
    expect(at(progress, 2001, failed).eviction?.sequence).toBe(1);
  });

  test('so does the one that pauses it, and a probe', () => {
    const pausing = at(full(mostFailures - 1), 2000, failed);
    expect(pausing).toMatchObject({ eviction: { sequence: 500 }, progress: { status: 'paused' } });
    const probe = { sequence: 2001, probe: true };
    const { eviction, progress } = settle(pausing.progress, probe, failed, now + hour);
    expect(eviction?.sequence).toBe(1);
    expect(progress).toMatchObject({ givenUp: 2, probes: 1 });
    expect(sequencesOf(progress)).toContain(2001);
    // The next probe is by another one.
    expect(progress.done).toContain(2001);
  });

  test('none is given up that is due: it may be under way', () => {
    const due = full().waiting.map((one) => ({ ...one, due: one.sequence === 7 ? now + 1 : now }));
    const crowded = at({ ...full(), waiting: due }, 2000, failed);
    expect(crowded).toMatchObject({ outcome: 'failed', eviction: { sequence: 7 } });
    const allDue = due.map((one) => ({ ...one, due: now }));
    const { outcome, eviction, progress } = at({ ...full(), waiting: allDue }, 2000, failed);
    expect([outcome, eviction, progress.givenUp]).toEqual(['given_up', undefined, 1]);
    expect(progress.waiting).toEqual(allDue);
  });
});

test('410 disables, and leaves the change where it is', () => {
  const { progress, outcome } = at(newProgress(0), 1, { kind: 'gone' });
  expect([progress.status, outcome, progress.done]).toEqual(['disabled', 'failed', []]);
  expect(dueWorkOf(progress, now)).toEqual({ kind: 'nothing' });
  expect(dueWorkOf(resume(progress, now), now)).toEqual({ kind: 'all', due: [] });
});

test('by its owner’s word everything that waits is tried at once, and what was due keeps its time', () => {
  const waiting = [
    { sequence: 1, attempts: 3, due: now + hour },
    { sequence: 2, attempts: 1, due: now - 1000 },
  ];
  const progress = resume({ ...afterFailures(mostFailures), waiting }, now);
  expect(progress).toMatchObject({ status: 'active', failures: 0, probes: 0, backoffUntil: 0 });
  expect(progress.waiting).toEqual([{ ...waiting[0], due: now }, waiting[1]]);
});

test('the checkpoint moves up to the first change that is not done with', () => {
  let progress = at(newProgress(0), 2, delivered).progress;
  progress = moveCheckpoint(progress, 5, [1, 4]);
  expect(progress).toMatchObject({ checkpoint: 0, done: [2] });
  progress = moveCheckpoint(at(progress, 1, delivered).progress, 5, [4]);
  expect(progress).toMatchObject({ checkpoint: 3, done: [] });
  // Changes of other types are passed over.
  progress = moveCheckpoint(at(progress, 4, delivered).progress, 9, []);
  expect(progress).toMatchObject({ checkpoint: 9, done: [] });
});

test('a replay keeps what waits before the checkpoint, and has what waits after it in the feed again', () => {
  const progress = { ...afterFailures(3), checkpoint: 3 };
  const again = { checkpoint: 1, done: [], waiting: [{ sequence: 1 }] };
  expect(replayFrom(progress, 1)).toMatchObject(again);
  expect(replayFrom(progress, 9).waiting).toHaveLength(3);
});

/** A worker that goes by the rules, with a feed that has so many changes. */
class Worker {
  progress = newProgress(0);
  now = now;
  last = 0;
  /** When each was delivered. */
  readonly delivered = new Map<number, number>();
  readonly givenUp = new Set<number>();
  /** Attempts of each while the webhook was active. */
  readonly attempts = new Map<number, number>();
  counts = { pauses: 0, recoveries: 0 };
  mostWaiting = 0;
  readonly #verdictOf: (sequence: number) => Verdict;
  readonly #postMs: number;

  constructor(verdictOf: (sequence: number) => Verdict, postMs = 0) {
    this.#verdictOf = verdictOf;
    this.#postMs = postMs;
  }

  /** The first in the feed that is not done with. */
  get #next(): number | undefined {
    let next = this.progress.checkpoint + 1;
    while (this.progress.done.includes(next)) next++;
    return next > this.last ? undefined : next;
  }

  /** Posts all that may be posted now. */
  work(): void {
    for (let turn = 0; turn < 20_000; turn++) {
      const plan = dueWorkOf(this.progress, this.now);
      const sequence = chosen(plan, turn, this.#next);
      if (sequence === undefined) return;
      this.#attempt(sequence, plan.kind === 'probe');
      this.now += this.#postMs;
    }
    throw new Error('it never comes to an end');
  }

  /** Comes whenever something is due, until then. */
  workUntil(end: number): void {
    while (this.now < end) {
      this.work();
      this.now = Math.min(nextDue(this.progress, this.now) ?? end, end);
    }
  }

  #attempt(sequence: number, probe: boolean): void {
    const { status } = this.progress;
    const attempt = { sequence, probe };
    const { progress, outcome } = settle(
      this.progress,
      attempt,
      this.#verdictOf(sequence),
      this.now,
    );
    if (outcome === 'delivered') this.delivered.set(sequence, this.now);
    if (outcome === 'given_up') this.givenUp.add(sequence);
    if (status === 'active') this.attempts.set(sequence, (this.attempts.get(sequence) ?? 0) + 1);
    if (status === 'active' && progress.status === 'paused') this.counts.pauses++;
    if (status === 'paused' && progress.status === 'active') this.counts.recoveries++;
    this.mostWaiting = Math.max(this.mostWaiting, progress.waiting.length);
    this.progress = progress;
    this.progress = moveCheckpoint(progress, (this.#next ?? this.last + 1) - 1, []);
  }
}

test.each([
  [10, 7],
  [11, 7],
  [14, 36],
])(
  'of an endpoint that always refuses the first %d changes, all others come within %d hours',
  (refused, most) => {
    const worker = new Worker((sequence) => (sequence <= refused ? failed : delivered));
    worker.last = refused;
    const others = Array.from({ length: 32 }, () => {
      const madeAt = worker.now;
      const sequence = ++worker.last;
      worker.workUntil(madeAt + 6 * hour);
      return { madeAt, sequence };
    });
    expect([worker.delivered.size, worker.givenUp.size]).toEqual([others.length, refused]);
    const tookMs = others.map(({ madeAt, sequence }) => worker.delivered.get(sequence)! - madeAt);
    expect(Math.max(...tookMs) / hour).toBeLessThan(most);
  },
);

describe('of 6,000 changes that come at once', () => {
  const count = 6000;
  const run = (verdictOf: (sequence: number) => Verdict, longest: number) => {
    const worker = new Worker(verdictOf, 10);
    worker.last = count;
    worker.workUntil(now + longest);
    return worker;
  };

  test.each([2, 10])('of which 1 in %d is refused, all others arrive within an hour', (nth) => {
    const refused = count / nth;
    const worker = run((sequence) => (sequence % nth ? delivered : failed), hour);
    expect(worker.delivered.size).toBe(count - refused);
    const { waiting, givenUp } = worker.progress;
    expect(worker.mostWaiting).toBe(Math.min(refused, mostWaiting));
    expect(waiting.length + givenUp).toBe(refused);
  });

  test('none is given up where the endpoint is down for a year', () => {
    const { progress, delivered, mostWaiting } = run(() => failed, 365 * 24 * hour);
    expect([delivered.size, progress.givenUp, progress.status]).toEqual([0, 0, 'paused']);
    expect(mostWaiting).toBeGreaterThan(mostFailures);
  });
});

/** So long from one step to the next; whether the endpoint refuses all; how many changes come. */
const step = fc.record({
  later: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 30 * hour })),
  down: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  retryAfterMs: fc.option(fc.integer({ min: 1, max: 50 * hour }), { nil: undefined, freq: 2 }),
  come: fc.integer({ min: 0, max: 8 }),
});

test(`every change is delivered, given up after ten attempts, waiting, or still to come (SEED=${seed})`, () => {
  let [pauses, givenUps, recoveries] = [0, 0, 0];
  const steps = fc.array(step, { minLength: 20, maxLength: 60 });
  fc.assert(
    // Each `poison`th change is refused always.
    fc.property(steps, fc.integer({ min: 2, max: 30 }), (steps, poison) => {
      let verdictOf = (_sequence: number): Verdict => delivered;
      const worker = new Worker((sequence) => verdictOf(sequence));
      for (const { later, down, retryAfterMs, come } of steps) {
        worker.now += later;
        worker.last += come;
        const { checkpoint } = worker.progress;
        verdictOf = (sequence) =>
          down || sequence % poison === 0 ? { kind: 'failed', retryAfterMs } : delivered;
        worker.work();
        const { progress } = worker;
        expect(progress.checkpoint).toBeGreaterThanOrEqual(checkpoint);
        for (const { attempts } of progress.waiting)
          expect(attempts).toBeLessThanOrEqual(waitsMs.length);
        // Whatever waits has a time at which it is looked at again, no more than a day away.
        if (progress.waiting.length > 0) {
          expect(nextDue(progress, worker.now)).toBeLessThanOrEqual(worker.now + 24 * hour);
        }
        const toCome = upTo(worker.last).slice(progress.checkpoint);
        const inOneState = [
          ...worker.delivered.keys(),
          ...worker.givenUp,
          ...sequencesOf(progress),
          ...toCome.filter((sequence) => !progress.done.includes(sequence)),
        ];
        expect(inOneState.sort((a, b) => a - b)).toEqual(upTo(worker.last));
      }
      for (const sequence of worker.givenUp)
        expect(worker.attempts.get(sequence)).toBeGreaterThan(waitsMs.length);
      expect(worker.progress.givenUp).toBe(worker.givenUp.size);
      givenUps += worker.givenUp.size;
      pauses += worker.counts.pauses;
      recoveries += worker.counts.recoveries;
      // Once the endpoint is there again, for as long as the longest wait: nothing is left.
      verdictOf = () => delivered;
      for (let day = 0; day < 2; day++) {
        worker.now += 24 * hour;
        worker.work();
      }
      expect(worker.delivered.size + worker.givenUp.size).toBe(worker.last);
      const end = { status: 'active', checkpoint: worker.last, waiting: [], done: [] };
      expect(worker.progress).toMatchObject(end);
    }),
    { seed, numRuns: times(40, 150) },
  );
  // That it was about something.
  expect(Math.min(pauses, givenUps, recoveries)).toBeGreaterThan(times(1, 5));
});
