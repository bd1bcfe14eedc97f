import { expect, test } from 'vitest';
import { type Greed, simulateOthers } from './fairness-simulation.ts';

// One organization asks for ten times its limit, beside twenty others that need 15 of the 100 functions that the account
// lets run at once. What docs/reliability.md says of it is what this prints.

const seed = 20_261_122;
const limit = 50;

const run = (name: string, greed: Greed) => {
  const seen = simulateOthers(greed, 300, seed);
  const percent = (share: number) => `${(100 * share).toFixed(3)} %`;
  console.log(
    `${name}: of the others' requests ${percent(seen.turnedAway)} turned away, of their calls ${percent(seen.failed)} failed; ` +
      `p50 ${seen.p50.toFixed(0)} ms, p99 ${seen.p99.toFixed(0)} ms, p99.9 ${seen.p999.toFixed(0)} ms`,
  );
  return seen;
};

test(`others notice nothing of one that asks for ten times its limit, and do without a limit (SEED=${seed})`, () => {
  const alone = run('nobody beside them', { perSecond: 0 });
  const limited = run('ten times the limit, held to it', { perSecond: 10 * limit, limit });
  const free = run('the same without a limit', { perSecond: 10 * limit });
  expect(limited).toMatchObject({ failed: 0, p50: alone.p50, p99: alone.p99 });
  expect(limited.turnedAway).toBeLessThan(0.002);
  // The control: there is something to notice.
  expect(free.turnedAway).toBeGreaterThan(20 * limited.turnedAway);
  expect(free.failed).toBeGreaterThan(0);
  expect(free.p99).toBeGreaterThan(10 * alone.p99);
});
