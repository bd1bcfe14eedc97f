import { describe, expect, test } from 'vitest';
import {
  longestRetryAfter,
  mostFailures,
  mostWaiting,
  moved,
  newProgress,
  nextDue,
  type Progress,
  planOf,
  replayed,
  resumed,
  settle,
  waits,
} from '../../../lib/webhooks/delivery-rules.ts';

const now = Date.parse('2026-11-22T00:00:00Z');
const failed = { kind: 'failed' } as const;
const delivered = { kind: 'delivered' } as const;
const at = (progress: Progress, sequence: number, verdict: Parameters<typeof settle>[2], t = now) =>
  settle(progress, { sequence, probe: false }, verdict, t);

/** A webhook that failed so often in a row, each time another event. */
const afterFailures = (count: number): Progress => {
  let progress = newProgress(0);
  for (let i = 1; i <= count; i++) progress = at(progress, i, failed).progress;
  return progress;
};

const waitingUpTo = (last: number) =>
  Array.from({ length: last }, (_, i) => ({ sequence: i + 1, attempts: 1, due: now }));

const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

/** What waits and is due, and what is new, by turns. */
const inTurn = (turn: number, due: number | undefined) => ({
  candidates: turn % 2 === 0 ? [due, 'next' as const] : ['next' as const, due],
});

describe('an event that fails', () => {
  test('is tried again after each wait in turn, and given up after the last', () => {
    let progress = newProgress(0);
    let t = now;
    for (const wait of waits) {
      const settled = at(progress, 1, failed, t);
      expect(settled.outcome).toBe('failed');
      // Another event succeeds meanwhile: the endpoint is there.
      progress = at(settled.progress, 2, delivered, t).progress;
      expect(planOf(progress, t + wait - 1)).toEqual({ kind: 'all', due: [] });
      expect(nextDue(progress, t)).toBe(t + wait);
      t += wait;
      expect(planOf(progress, t)).toEqual({ kind: 'all', due: [1] });
    }
    const last = at(progress, 1, failed, t);
    expect(last.outcome).toBe('given_up');
    expect(last.progress).toMatchObject({ waiting: [], givenUp: 1, status: 'active' });
    expect(t - now).toBe(waits.reduce((a, b) => a + b));
  });

  test('is forgotten once it is delivered', () => {
    const { progress } = at(at(newProgress(0), 1, failed).progress, 1, delivered);
    expect(progress).toMatchObject({ waiting: [], failures: 0, givenUp: 0 });
  });
});

describe('Retry-After', () => {
  test.each([
    ['a longer one counts, for the whole webhook', 60_000, 60_000],
    ['a shorter one leaves the wait as it is', 1000, 5000],
    ['none longer than a day counts', longestRetryAfter + 1, longestRetryAfter],
  ])('%s', (_what, retryAfter, wait) => {
    const { progress } = at(newProgress(0), 1, { kind: 'failed', retryAfter });
    const held = Math.min(retryAfter, longestRetryAfter);
    expect(planOf(progress, now + held - 1)).toEqual({ kind: 'nothing', until: now + held });
    expect(nextDue(progress, now)).toBe(now + wait);
    expect(planOf(progress, now + wait)).toEqual({ kind: 'all', due: [1] });
  });
});

test('what succeeds ends no wait that the endpoint asked for meanwhile', () => {
  const held = at(newProgress(0), 1, { kind: 'failed', retryAfter: 60_000 }).progress;
  const { progress } = at(held, 2, delivered);
  expect(planOf(progress, now + 59_999)).toEqual({ kind: 'nothing', until: now + 60_000 });
});

describe('a webhook is paused', () => {
  test('by the tenth failure in a row, not by the ninth, and gives up nothing by that', () => {
    expect(afterFailures(mostFailures - 1).status).toBe('active');
    const progress = afterFailures(mostFailures);
    expect(progress).toMatchObject({ status: 'paused', givenUp: 0 });
    expect(progress.waiting.map(({ sequence }) => sequence)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });

  test('and the failure that pauses it counts for no event: it may be the endpoint’s', () => {
    const tried = waits.length;
    const waiting = [{ sequence: 1, attempts: tried, due: now }];
    const almost = { ...newProgress(1), failures: mostFailures - 1, waiting };
    const { progress, outcome } = at(almost, 1, failed);
    expect(outcome).toBe('failed');
    expect(progress).toMatchObject({
      status: 'paused',
      givenUp: 0,
      waiting: [{ attempts: tried }],
    });
  });

  test('by a thousand events that wait, not by one less', () => {
    let progress = newProgress(0);
    for (let i = 1; i < mostWaiting; i++) {
      progress = at(progress, 2 * i, failed).progress;
      progress = at(progress, 2 * i + 1, delivered).progress;
    }
    expect([progress.status, progress.waiting.length]).toEqual(['active', mostWaiting - 1]);
    progress = at(progress, 2 * mostWaiting, failed).progress;
    expect([progress.status, progress.waiting.length]).toEqual(['paused', mostWaiting]);
  });

  test('and probed by one event after the other at growing waits, at last once a day', () => {
    let progress = afterFailures(mostFailures);
    let t = now;
    let last = mostFailures;
    const probed: number[] = [];
    for (let i = 0; i < 13; i++) {
      const wait = waits[Math.min(i, waits.length - 1)]!;
      expect(planOf(progress, t + wait - 1)).toEqual({ kind: 'nothing', until: t + wait });
      t += wait;
      const plan = planOf(progress, t);
      if (plan.kind !== 'probe') throw new Error(plan.kind);
      // Where there is nothing new, one that waits is the probe.
      expect(plan.candidates.toSorted()).toEqual([expect.any(Number), 'next']);
      const sequence = plan.candidates[0] === 'next' ? ++last : plan.candidates[0]!;
      probed.push(sequence);
      progress = settle(progress, { sequence, probe: true }, failed, t).progress;
    }
    expect(probed).toEqual([11, 12, 1, 13, 14, 2, 15, 16, 3, 17, 18, 4, 19]);
    expect(progress.waiting.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 19 }, (_, i) => i + 1),
    );
    expect(progress.waiting.slice(mostFailures).every(({ attempts }) => attempts === 0)).toBe(true);
  });

  test('and what is new goes on to wait for as long as there is room', () => {
    const full = { ...afterFailures(mostFailures), waiting: waitingUpTo(mostWaiting) };
    const { progress } = settle(full, { sequence: 2000, probe: true }, failed, now);
    expect([progress.waiting, progress.done, progress.probes]).toEqual([
      full.waiting,
      full.done,
      1,
    ]);
    const room = { ...full, waiting: waitingUpTo(mostWaiting - 1) };
    const one = settle(room, { sequence: 2000, probe: true }, failed, now).progress;
    expect([one.waiting.length, one.done.includes(2000)]).toEqual([mostWaiting, true]);
  });

  test('until one succeeds: then everything that waits is tried at its time', () => {
    const paused = afterFailures(mostFailures);
    const { progress } = settle(paused, { sequence: 3, probe: true }, delivered, now + 60_000);
    expect(progress).toMatchObject({ status: 'active', failures: 0, probes: 0 });
    expect(planOf(progress, now + 60_000)).toEqual({
      kind: 'all',
      due: [1, 2, 4, 5, 6, 7, 8, 9, 10],
    });
    const later = { ...paused, waiting: [{ sequence: 1, attempts: 5, due: now + 3_600_000 }] };
    const back = settle(later, { sequence: 11, probe: true }, delivered, now + 60_000).progress;
    expect(planOf(back, now + 60_000)).toEqual({ kind: 'all', due: [] });
    expect(planOf(back, now + 3_600_000)).toEqual({ kind: 'all', due: [1] });
  });

  test('and what was under way then counts if it succeeds, and not if it fails', () => {
    const paused = afterFailures(mostFailures);
    expect(at(paused, 11, failed).progress).toEqual(paused);
    expect(at(paused, 11, delivered).progress).toMatchObject({
      status: 'active',
      done: [...paused.done, 11],
    });
  });
});

test.each([
  [10, 7],
  [11, 7],
  [14, 36],
])(
  'of an endpoint that always refuses the first %d events, all others come within %d hours',
  (refused, most) => {
    const hour = 3_600_000;
    let progress = newProgress(0);
    let last = refused;
    let t = now;
    const madeAt = new Map<number, number>();
    let latest = 0;
    /** All that may be posted now: by turns what waits and what is new. */
    const work = () => {
      for (let turn = 0; ; turn++) {
        const plan = planOf(progress, t);
        if (plan.kind === 'nothing') return;
        const next = upTo(last).find((n) => n > progress.position && !progress.done.includes(n));
        const { candidates } = plan.kind === 'probe' ? plan : inTurn(turn, plan.due[0]);
        const all = candidates.map((one) => (one === 'next' ? next : one));
        const sequence = all.find((one) => one !== undefined);
        if (sequence === undefined) return;
        const verdict = sequence <= refused ? failed : delivered;
        progress = settle(
          progress,
          { sequence, probe: plan.kind === 'probe' },
          verdict,
          t,
        ).progress;
        if (verdict === failed) continue;
        latest = Math.max(latest, t - madeAt.get(sequence)!);
        madeAt.delete(sequence);
      }
    };
    for (let made = 0; made < 32; made++) {
      madeAt.set(++last, t);
      work();
      const until = t + 6 * hour;
      while (t < until) {
        t = Math.min(nextDue(progress, t) ?? until, until);
        if (t < until) work();
      }
    }
    expect([madeAt.size, progress.givenUp, progress.waiting]).toEqual([0, refused, []]);
    expect(latest / hour).toBeLessThan(most);
  },
);

test('410 disables, and leaves the event where it is', () => {
  const { progress, outcome } = at(newProgress(0), 1, { kind: 'gone' });
  expect([progress.status, outcome, progress.done]).toEqual(['disabled', 'failed', []]);
  expect(planOf(progress, now)).toEqual({ kind: 'nothing' });
  expect(planOf(resumed(progress, now), now)).toEqual({ kind: 'all', due: [] });
});

test('by its owner’s word everything that waits is tried at once, and what was due keeps its time', () => {
  const [late, soon] = [now - 1000, now + 3_600_000];
  const paused = {
    ...afterFailures(mostFailures),
    waiting: [
      { sequence: 1, attempts: 3, due: soon },
      { sequence: 2, attempts: 1, due: late },
    ],
  };
  const progress = resumed(paused, now);
  expect(progress).toMatchObject({ status: 'active', failures: 0, probes: 0, heldUntil: 0 });
  expect(progress.waiting).toEqual([
    { sequence: 1, attempts: 3, due: now },
    { sequence: 2, attempts: 1, due: late },
  ]);
});

test('the position moves up to the first event that is not done with', () => {
  let progress = at(newProgress(0), 2, delivered).progress;
  progress = moved(progress, 5, [1, 4]);
  expect(progress).toMatchObject({ position: 0, done: [2] });
  progress = moved(at(progress, 1, delivered).progress, 5, [4]);
  expect(progress).toMatchObject({ position: 3, done: [] });
  // Changes of other types are passed over.
  expect(moved(at(progress, 4, delivered).progress, 9, [])).toMatchObject({
    position: 9,
    done: [],
  });
});

test('a replay keeps what waits before the position, and has what waits after it in the feed again', () => {
  const progress = { ...afterFailures(3), position: 3 };
  expect(replayed(progress, 1)).toMatchObject({
    position: 1,
    done: [],
    waiting: [{ sequence: 1 }],
  });
  expect(replayed(progress, 9).waiting).toHaveLength(3);
});
