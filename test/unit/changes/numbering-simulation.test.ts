import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { seed } from '../../support/random.ts';
import { type Load, NumberingSimulation } from './numbering-simulation.ts';

// One organization imports leads beside ten others that make two changes a second each, in virtual time. What
// docs/reliability.md says of it is what this prints: delays beyond the time until a shard is polled.

const { info, error } = console;
beforeAll(() => {
  vi.stubEnv('TABLE_NAME', 'Simulated');
  Object.assign(console, { info: () => {}, error: () => {} });
});
afterAll(() => {
  vi.unstubAllEnvs();
  Object.assign(console, { info, error });
});

const [goalMs, ownGoalMs] = [300, 1000];

const many: Load = { shards: 20, busyPerSecond: 390, seconds: 8 };
const some: Load = { shards: 8, busyPerSecond: 95, seconds: 12 };
const few: Load = { shards: 20, busyPerSecond: 1, seconds: 12 };

const at = (delays: readonly number[], share: number) => delays[Math.floor(delays.length * share)]!;
const p99 = (delays: readonly number[]) => at(delays, 0.99);

const run = async (load: Load) => {
  const simulation = new NumberingSimulation(load, seed);
  await simulation.load();
  const { busy, neighbours } = simulation;
  const [others, own] = [simulation.delaysOf(neighbours), simulation.delaysOf([busy])];
  const told = [others, own].map((delays) =>
    [0.5, 0.9, 0.99].map((share) => Math.round(at(delays, share))).join(', '),
  );
  process.stdout.write(
    `${JSON.stringify(load)}: p50, p90, p99 of ${others.length} changes of others ${told[0]} ms, of its own ${told[1]} ms\n`,
  );
  return { simulation, others, own };
};

/** All have their numbers, once, without gaps, and each lead's in the order of its versions. */
const expectWhole = (simulation: NumberingSimulation) => {
  for (const organization of [simulation.busy, ...simulation.neighbours]) {
    const { entries, missing } = simulation.feedOf(organization);
    expect(missing).toBe(0);
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, i) => i + 1));
    for (const ofLead of Map.groupBy(entries, ({ pk }) => pk).values()) {
      expect(ofLead.map(({ version }) => version)).toEqual(ofLead.map((_, i) => i + 1));
    }
  }
};

describe(`an organization’s own feed takes 200 changes a second with a p99 of ${ownGoalMs} ms at most (SEED=${seed})`, () => {
  test.each<[string, Load]>([
    ['leads, in few shards', { shards: 4, busyPerSecond: 200, seconds: 12 }],
    ['leads, in many shards', { shards: 20, busyPerSecond: 200, seconds: 12 }],
    ['spends', { shards: 20, busyPerSecond: 200, seconds: 12, spends: true }],
  ])('of %s', async (_, load) => {
    const { simulation, others, own } = await run(load);
    expect(own.length).toBeGreaterThan(150 * load.seconds);
    expect(p99(own)).toBeLessThan(ownGoalMs);
    expect(p99(others)).toBeLessThan(goalMs);
    await simulation.drain(60);
    expectWhole(simulation);
  });

  test('but not 1,000', async () => {
    const { own } = await run({ shards: 20, busyPerSecond: 1000, seconds: 6 });
    expect(p99(own)).toBeGreaterThan(ownGoalMs);
  });
});

describe(`others’ changes wait ${goalMs} ms at most, at p99 (SEED=${seed})`, () => {
  test.each([many, some, few])('$shards shards, $busyPerSecond changes a second', async (load) => {
    const { simulation, others } = await run(load);
    expect(p99(others)).toBeLessThan(goalMs);
    await simulation.drain(60);
    expectWhole(simulation);
  });

  test.each([
    { ...some, failure: 'is throttled' },
    { ...many, failure: 'gets no answer' },
    { ...some, failure: 'is refused' },
    { ...few, failure: 'is refused' },
  ] satisfies Load[])(
    '$shards shards, $busyPerSecond changes a second, each of which $failure',
    async (load) => {
      const { simulation, others, own } = await run(load);
      expect(p99(others)).toBeLessThan(goalMs);
      expect(p99(own)).toBeGreaterThan(goalMs);
      await simulation.drain(200);
      expectWhole(simulation);
    },
  );

  test.each([many, { ...some, failure: 'is refused' }] satisfies Load[])(
    'but not where who waits holds the shard: $shards shards, $busyPerSecond changes a second',
    async (load) => {
      const { others } = await run({ ...load, isHeld: true });
      expect(p99(others)).toBeGreaterThan(2 * goalMs);
    },
  );
});
