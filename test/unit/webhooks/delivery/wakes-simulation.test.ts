import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { seed } from '../../../support/random.ts';
import { type Load, WakesSimulation } from './wakes-simulation.ts';

// Organizations with ten webhooks each, whose endpoints take ten seconds for each of ten changes a second, beside five
// others that make a change every two seconds. In virtual time; it prints how long those changes take to their endpoints.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

/** A test that is given up while time is virtual would take others along. */
const options = { timeout: 120_000 };
const slow = { busyPerSecond: 10, busyAnswerMs: 10_000, seconds: 40 };

const p99 = async (load: Load): Promise<number> => {
  const simulation = new WakesSimulation(load, seed);
  await simulation.run();
  const { waits } = simulation;
  const [p50, p90, last] = [0.5, 0.9, 0.99].map((one) => waits[Math.floor(waits.length * one)]!);
  process.stdout.write(
    `${load.busy} slow organizations${load.workers ? `, ${load.workers} workers` : ''}: ` +
      `p50, p90, p99 of ${waits.length} changes of others ${[p50, p90, last].map((one) => Math.round(one!)).join(', ')} ms\n`,
  );
  expect(simulation.errors).toBe(0);
  expect(waits.length).toBeGreaterThan(30);
  return last!;
};

test.each([1, 3])(
  `slow endpoints of %i organizations keep nobody else waiting (SEED=${seed})`,
  options,
  async (busy) => {
    expect(await p99({ busy, ...slow })).toBeLessThan(300);
  },
);

test('but they do with far fewer workers than six of them keep busy', options, async () => {
  expect(await p99({ busy: 6, ...slow, workers: 20 })).toBeGreaterThan(5000);
});
