import { expect, test } from 'vitest';
import { seed } from '../../support/random.ts';
import { simulateDear } from './dear-requests-simulation.ts';

// One organization sends the dearest requests that there are, beside twenty others that need a third of what the table may
// write. What docs/reliability.md says of it is what this prints.

const limit = 50;
const seconds = 300;

test(`others notice nothing of one that sends the dearest requests, as these count by what they cost (SEED=${seed})`, () => {
  const run = (name: string, perSecond: number, byUnits: boolean) => {
    const seen = simulateDear({ perSecond, limit, byUnits }, seconds, seed);
    const percent = (100 * seen.throttled).toFixed(2);
    const admitted = seen.admittedPerSecond.toFixed(2);
    console.log(
      `${name}: ${percent} % of the others’ requests throttled, ${admitted}/s of its own admitted`,
    );
    return seen;
  };
  expect(run('nobody beside them', 0, true).throttled).toBe(0);
  const counted = run('dear requests that count by their units', limit, true);
  expect(counted.throttled).toBeLessThan(0.001);
  // 50 requests a second are 1,750 units: half of a dear one. It gets so much, and no more.
  expect(counted.admittedPerSecond).toBeGreaterThan(0.3);
  expect(counted.admittedPerSecond).toBeLessThan(1.5);
  // The control: there is something to notice.
  expect(run('dear requests that count as one', limit, false).throttled).toBeGreaterThan(0.1);
});
