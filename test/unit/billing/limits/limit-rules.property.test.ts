import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { LimitWorld, limitStep } from './limit-world.ts';

// Limits beside a plain model: limit-world.ts. A run is repeated with its SEED.

test(`whatever happens, no limit is exceeded by a star, and each counter is what is still spent or held (SEED=${seed})`, async () => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(fc.array(limitStep, { minLength: 20, maxLength: 60 }), async (steps) => {
      const world = new LimitWorld();
      let now = world.wallet.at;
      for (const step of steps) {
        now += step.hours * 3_600_000;
        await world.do(step, now);
        world.assertCounted(Math.max(now, world.wallet.at));
      }
      for (const [what, count] of Object.entries(world.seen)) {
        counts[what] = (counts[what] ?? 0) + count;
      }
    }),
    { seed, numRuns: times(150, 1000) },
  );
  // That it was about something.
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(10);
});
