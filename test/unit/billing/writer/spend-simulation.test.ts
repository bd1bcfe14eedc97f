import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { seed } from '../../../support/random.ts';
import { simulateSpends } from './spend-simulation.ts';

// Spends that come to one wallet by themselves, in virtual time. docs/stars.md says what rate is below half a second.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

const seconds = 50;

const run = async (perSecond: number, batchSize = 1) => {
  const { tookMs, refused } = await simulateSpends(perSecond, seconds, seed, batchSize);
  const [p50, p99] = [0.5, 0.99].map((share) => Math.round(tookMs[(tookMs.length * share) | 0]!));
  process.stdout.write(
    `${perSecond} spends a second: p50 ${p50} ms, p99 ${p99} ms, ${refused} refused\n`,
  );
  return { p99: p99!, done: tookMs.length, refused };
};

test(`20 spends a second of one wallet take less than 500 ms at p99, as do 200 in batches of 25, and 40 take more (SEED=${seed})`, async () => {
  const some = await run(20);
  expect([some.done, some.refused]).toEqual([20 * seconds, 0]);
  expect(some.p99).toBeLessThan(500);
  const batches = await run(200, 25);
  expect([batches.done, batches.refused]).toEqual([(200 / 25) * seconds, 0]);
  expect(batches.p99).toBeLessThan(500);
  const many = await run(40);
  expect(many.done + many.refused).toBe(40 * seconds);
  expect(many.p99).toBeGreaterThan(500);
});
