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
  replay,
  resume,
  settle,
  waitsMs,
} from '../../../../lib/webhooks/delivery/delivery-rules.ts';

const now = Date.parse('2026-11-22T00:00:00Z');
const failed = { kind: 'failed' } as const;
const delivered = { kind: 'delivered' } as const;
const at = (progress: Progress, sequence: number, verdict: Parameters<typeof settle>[2], t = now) =>
  settle(progress, { sequence, probe: false }, verdict, t);

/** A webhook that failed so often in a row, each time another change. */
const afterFailures = (count: number): Progress => {
  let progress = newProgress(0);
  for (let i = 1; i <= count; i++) progress = at(progress, i, failed).progress;
  return progress;
};

const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

/** What to attempt now: what waits and is due, and what is new, by turns; of a paused webhook, what is new first. */
const chosen = (plan: ReturnType<typeof dueWorkOf>, turn: number, next: number | undefined) => {
  if (plan.kind === 'nothing') return undefined;
  if (plan.kind === 'probe') return next ?? plan.retry;
  return turn % 2 === 0 ? (plan.due[0] ?? next) : (next ?? plan.due[0]);
};

describe('a change that fails', () => {
  test('is tried again after each wait in turn, and given up after the last', () => {
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
    expect(t - now).toBe(waitsMs.reduce((a, b) => a + b));
  });
});

describe('Retry-After', () => {
  test.each([
    ['a longer one counts, for the whole webhook', 60_000, 60_000],
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

  const hour = 3_600_000;
  const inAnHour = { kind: 'failed', retryAfterMs: hour } as const;

  test('has the webhook looked at when it ends, also where what asked for it waits no more', () => {
    const waiting = [
      { sequence: 1, attempts: waitsMs.length, due: now },
      { sequence: 2, attempts: 8, due: now + 20 * hour },
    ];
    const givenUp = at({ ...newProgress(2), waiting }, 1, inAnHour);
    expect(givenUp).toMatchObject({
      outcome: 'given_up',
      progress: { waiting: [{ sequence: 2 }] },
    });
    expect(nextDue(givenUp.progress, now)).toBe(now + hour);
    // Once it has ended, what waits is next.
    expect(nextDue(givenUp.progress, now + hour)).toBe(now + 20 * hour);
    const both = { ...givenUp.progress, waiting: [waiting[1]!, { ...waiting[1]!, sequence: 3 }] };
    expect(nextDue(replay(both, 2), now)).toBe(now + hour);
  });

  test('of the failure that pauses is not ended by a success that was under way', () => {
    const paused = at(afterFailures(mostFailures - 1), mostFailures, inAnHour).progress;
    expect(paused.status).toBe('paused');
    const { progress } = at(paused, 11, delivered);
    expect(progress.status).toBe('active');
    expect(dueWorkOf(progress, now + hour - 1)).toEqual({ kind: 'nothing', until: now + hour });
    expect(nextDue(progress, now)).toBe(now + hour);
  });
});

test('what succeeds ends no wait that the endpoint asked for meanwhile', () => {
  const held = at(newProgress(0), 1, { kind: 'failed', retryAfterMs: 60_000 }).progress;
  const { progress } = at(held, 2, delivered);
  expect(dueWorkOf(progress, now + 59_999)).toEqual({ kind: 'nothing', until: now + 60_000 });
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

  test('and the failure that pauses it counts for no change: it may be the endpoint’s', () => {
    const tried = waitsMs.length;
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
      const plan = dueWorkOf(progress, t);
      const sequence = chosen(plan, 0, i % 2 ? ++last : undefined)!;
      probed.push(sequence);
      progress = settle(progress, { sequence, probe: true }, failed, t).progress;
    }
    expect(probed).toEqual([1, 11, 3, 12, 5, 13, 7, 14, 9, 15, 11, 16, 13]);
    expect(progress.waiting.map(({ sequence }) => sequence)).toEqual(upTo(16));
    expect(progress.waiting.slice(mostFailures).every(({ attempts }) => attempts === 0)).toBe(true);
  });

  test('until one succeeds: then everything that waits is tried at its time', () => {
    const paused = afterFailures(mostFailures);
    const { progress } = settle(paused, { sequence: 3, probe: true }, delivered, now + 60_000);
    expect(progress).toMatchObject({ status: 'active', failures: 0, probes: 0 });
    expect(dueWorkOf(progress, now + 60_000)).toEqual({
      kind: 'all',
      due: [1, 2, 4, 5, 6, 7, 8, 9, 10],
    });
    const later = { ...paused, waiting: [{ sequence: 1, attempts: 5, due: now + 3_600_000 }] };
    const back = settle(later, { sequence: 11, probe: true }, delivered, now + 60_000).progress;
    expect(dueWorkOf(back, now + 60_000)).toEqual({ kind: 'all', due: [] });
    expect(dueWorkOf(back, now + 3_600_000)).toEqual({ kind: 'all', due: [1] });
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
  'of an endpoint that always refuses the first %d changes, all others come within %d hours',
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
        const plan = dueWorkOf(progress, t);
        if (plan.kind === 'nothing') return;
        const next = upTo(last).find((n) => n > progress.checkpoint && !progress.done.includes(n));
        const sequence = chosen(plan, turn, next);
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

describe('with a thousand changes that wait', () => {
  /** All failed once but one, which failed three times. None is due. */
  const full = (failures = 0): Progress => ({
    ...newProgress(mostWaiting),
    failures,
    waiting: upTo(mostWaiting).map((sequence) => ({
      sequence,
      attempts: sequence === 500 ? 3 : 1,
      due: now + 60_000,
    })),
  });
  const isWaiting = ({ waiting }: Progress, one: number) =>
    waiting.some(({ sequence }) => sequence === one);

  test('the next that fails takes the place of the one that failed most often', () => {
    const room = { ...full(), waiting: full().waiting.slice(1) };
    expect(at(room, 2000, failed)).toMatchObject({ outcome: 'failed', progress: { givenUp: 0 } });
    const { progress, outcome, eviction } = at(full(), 2000, failed);
    expect([outcome, eviction]).toEqual([
      'failed',
      { sequence: 500, attempts: 3, due: now + 60_000 },
    ]);
    expect(progress).toMatchObject({ status: 'active', givenUp: 1 });
    expect([500, 2000].map((one) => isWaiting(progress, one))).toEqual([false, true]);
    expect(progress.waiting).toHaveLength(mostWaiting);
    // Of those that failed as often, the oldest.
    expect(at(progress, 2001, failed).eviction?.sequence).toBe(1);
  });

  test('so does the one that pauses it, and a probe', () => {
    const pausing = at(full(mostFailures - 1), 2000, failed);
    expect(pausing).toMatchObject({ eviction: { sequence: 500 }, progress: { status: 'paused' } });
    const probe = { sequence: 2001, probe: true };
    const late = now + 3_600_000;
    const probed = settle(pausing.progress, probe, failed, late);
    expect(probed).toMatchObject({
      eviction: { sequence: 1 },
      progress: { givenUp: 2, probes: 1 },
    });
    expect(isWaiting(probed.progress, 2001)).toBe(true);
    // The next probe is by another one.
    expect(probed.progress.done).toContain(2001);
  });

  test('none is given up that is due: it may be under way', () => {
    const due = full().waiting.map((one) => ({ ...one, due: one.sequence === 7 ? now + 1 : now }));
    const crowded = { ...full(), waiting: due };
    expect(at(crowded, 2000, failed)).toMatchObject({
      outcome: 'failed',
      eviction: { sequence: 7 },
    });
    const allDue = { ...crowded, waiting: due.map((one) => ({ ...one, due: now })) };
    const { outcome, eviction, progress } = at(allDue, 2000, failed);
    expect([outcome, eviction, progress.givenUp]).toEqual(['given_up', undefined, 1]);
    expect(progress.waiting).toEqual(allDue.waiting);
  });
});

describe('of 6,000 changes that come at once', () => {
  const count = 6000;
  const [hour, year] = [3_600_000, 365 * 24 * 3_600_000];
  /** Posts one after another, what waits and what is new by turns, until each was posted or so much time is over. */
  const simulate = (
    verdictOf: (sequence: number) => typeof failed | typeof delivered,
    longest: number,
  ) => {
    let progress = newProgress(0);
    let t = now;
    let most = 0;
    const arrived = new Set<number>();
    for (let turn = 0; t < now + longest && progress.checkpoint < count; turn++) {
      const plan = dueWorkOf(progress, t);
      if (plan.kind === 'nothing') {
        t = plan.until!;
        continue;
      }
      const next = progress.checkpoint + 1;
      const sequence = chosen(plan, turn, next)!;
      const attempt = { sequence, probe: plan.kind === 'probe' };
      const verdict = verdictOf(sequence);
      if (verdict === delivered) arrived.add(sequence);
      progress = settle(progress, attempt, verdict, t).progress;
      progress = moveCheckpoint(progress, progress.done.at(-1) ?? progress.checkpoint, []);
      most = Math.max(most, progress.waiting.length);
      t += 10;
    }
    return { progress, arrived: arrived.size, most };
  };

  test.each([2, 10])('of which 1 in %d is refused, all others arrive within an hour', (nth) => {
    const refused = count / nth;
    const { progress, arrived, most } = simulate((one) => (one % nth ? delivered : failed), hour);
    expect(arrived).toBe(count - refused);
    expect([most, progress.waiting.length + progress.givenUp]).toEqual([
      Math.min(refused, mostWaiting),
      refused,
    ]);
  });

  test('none is given up where the endpoint is down for a year', () => {
    const { progress, arrived, most } = simulate(() => failed, year);
    expect([arrived, progress.givenUp, progress.status]).toEqual([0, 0, 'paused']);
    expect(most).toBeGreaterThan(mostFailures);
  });
});

test('410 disables, and leaves the change where it is', () => {
  const { progress, outcome } = at(newProgress(0), 1, { kind: 'gone' });
  expect([progress.status, outcome, progress.done]).toEqual(['disabled', 'failed', []]);
  expect(dueWorkOf(progress, now)).toEqual({ kind: 'nothing' });
  expect(dueWorkOf(resume(progress, now), now)).toEqual({ kind: 'all', due: [] });
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
  const progress = resume(paused, now);
  expect(progress).toMatchObject({ status: 'active', failures: 0, probes: 0, backoffUntil: 0 });
  expect(progress.waiting).toEqual([
    { sequence: 1, attempts: 3, due: now },
    { sequence: 2, attempts: 1, due: late },
  ]);
});

test('the checkpoint moves up to the first change that is not done with', () => {
  let progress = at(newProgress(0), 2, delivered).progress;
  progress = moveCheckpoint(progress, 5, [1, 4]);
  expect(progress).toMatchObject({ checkpoint: 0, done: [2] });
  progress = moveCheckpoint(at(progress, 1, delivered).progress, 5, [4]);
  expect(progress).toMatchObject({ checkpoint: 3, done: [] });
  // Changes of other types are passed over.
  expect(moveCheckpoint(at(progress, 4, delivered).progress, 9, [])).toMatchObject({
    checkpoint: 9,
    done: [],
  });
});

test('a replay keeps what waits before the checkpoint, and has what waits after it in the feed again', () => {
  const progress = { ...afterFailures(3), checkpoint: 3 };
  expect(replay(progress, 1)).toMatchObject({
    checkpoint: 1,
    done: [],
    waiting: [{ sequence: 1 }],
  });
  expect(replay(progress, 9).waiting).toHaveLength(3);
});
