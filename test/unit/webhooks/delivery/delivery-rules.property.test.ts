import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  dueWorkOf,
  mostWaiting,
  moveCheckpoint,
  newProgress,
  nextDue,
  settle,
  waitsMs,
} from '../../../../lib/webhooks/delivery/delivery-rules.ts';
import type { Verdict } from '../../../../lib/webhooks/delivery/verdict.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';

// A feed, an endpoint with moods of its own, and a worker that goes by the rules. Repeat a run with its SEED.

const hour = 3_600_000;
/** So long from one step to the next; whether the endpoint refuses all; how many changes come. */
const step = fc.record({
  later: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 30 * hour })),
  down: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  retryAfterMs: fc.option(fc.integer({ min: 1, max: 50 * hour }), { nil: undefined, freq: 2 }),
  come: fc.integer({ min: 0, max: 8 }),
});

test(`every change is delivered, given up after ten attempts, waiting, or still to come (SEED=${seed})`, () => {
  let [pauses, givenUps, recoveries] = [0, 0, 0];
  fc.assert(
    // Each `poison`th change is refused always.
    fc.property(
      fc.array(step, { minLength: 20, maxLength: 60 }),
      fc.integer({ min: 2, max: 30 }),
      (steps, poison) => {
        let progress = newProgress(0);
        let [now, last] = [1_000_000, 0];
        const delivered = new Set<number>();
        const gaveUp = new Set<number>();
        const attempts = new Map<number, number>();
        const open = () => {
          const all = Array.from(
            { length: last - progress.checkpoint },
            (_, i) => i + progress.checkpoint + 1,
          );
          return all.filter((one) => !progress.done.includes(one));
        };
        const attempt = (sequence: number, probe: boolean, verdict: Verdict) => {
          const before = progress;
          const settlement = settle(before, { sequence, probe }, verdict, now);
          progress = settlement.progress;
          if (settlement.outcome === 'delivered') delivered.add(sequence);
          if (settlement.outcome === 'given_up') gaveUp.add(sequence);
          if (before.status === 'active') attempts.set(sequence, (attempts.get(sequence) ?? 0) + 1);
          if (before.status === 'active' && progress.status === 'paused') pauses++;
          if (before.status === 'paused' && progress.status === 'active') recoveries++;
          progress = moveCheckpoint(progress, last, open());
        };
        /** All that may be posted now, in the order of the feed. */
        const work = (verdictOf: (sequence: number) => Verdict) => {
          for (let guard = 0; guard < 3000; guard++) {
            const plan = dueWorkOf(progress, now);
            if (plan.kind === 'nothing') return;
            const [next] = open();
            const probe = plan.kind === 'probe';
            const sequence = probe ? (next ?? plan.retry) : (plan.due[0] ?? next);
            if (sequence === undefined) return;
            attempt(sequence, probe, verdictOf(sequence));
          }
          throw new Error('it never comes to an end');
        };
        for (const { later, down, retryAfterMs, come } of steps) {
          now += later;
          last += come;
          const checkpoint = progress.checkpoint;
          work((sequence) =>
            down || sequence % poison === 0
              ? { kind: 'failed', retryAfterMs }
              : { kind: 'delivered' },
          );
          expect(progress.checkpoint).toBeGreaterThanOrEqual(checkpoint);
          expect(progress.waiting.length).toBeLessThanOrEqual(mostWaiting);
          for (const one of progress.waiting)
            expect(one.attempts).toBeLessThanOrEqual(waitsMs.length);
          // Whatever waits has a time at which it is looked at again, no more than a day away.
          if (progress.waiting.length > 0) {
            expect(nextDue(progress, now)).toBeLessThanOrEqual(now + 24 * hour);
          }
          const inOneState = [
            ...delivered,
            ...gaveUp,
            ...progress.waiting.map(({ sequence }) => sequence),
            ...open(),
          ];
          expect(inOneState.sort((a, b) => a - b)).toEqual(
            Array.from({ length: last }, (_, i) => i + 1),
          );
        }
        for (const sequence of gaveUp)
          expect(attempts.get(sequence)).toBeGreaterThan(waitsMs.length);
        givenUps += gaveUp.size;
        expect(progress.givenUp).toBe(gaveUp.size);
        // Once the endpoint is there again, for as long as the longest wait: nothing is left.
        for (let day = 0; day < 2; day++) {
          now += 24 * hour;
          work(() => ({ kind: 'delivered' }));
        }
        expect(delivered.size + gaveUp.size).toBe(last);
        expect(progress).toMatchObject({
          status: 'active',
          checkpoint: last,
          waiting: [],
          done: [],
        });
      },
    ),
    { seed, numRuns: times(40, 150) },
  );
  // That it was about something.
  expect(Math.min(pauses, givenUps, recoveries)).toBeGreaterThan(times(1, 5));
});
