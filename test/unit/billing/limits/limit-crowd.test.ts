import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { captureUpdate, releaseUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate } from '../../../../lib/billing/holds/new-hold.ts';
import { deleteLimit, putLimit, readLimit } from '../../../../lib/billing/spend-limits.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import { settingTerms } from '../../../../lib/billing/stored/wallet.ts';
import type { LimitPeriod } from '../../../../lib/billing/terms/limit-terms.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import { commitIn } from '../../../support/origin.ts';
import { chance, pick, random, seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { atOnce, codeOf } from '../writer/at-once.ts';
import { spendsOf } from '../writer/wallet-load.ts';
import { percentile } from '../writer/wallet-simulation.ts';
import { inAll, LimitedSimulation, type Limits } from './limited-simulation.ts';

// Many who spend under limits at once, in virtual time: who loses a race waits, and is carried out with others. Each
// transaction is checked as it is made: limited-simulation.ts.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

const many = 200;
const ada = { spender: 'ada' };
const both = { ...ada, feature: 'chat' };

const spendOf = (
  { organizationId }: LimitedSimulation,
  purpose: object,
  stars = 1,
): UpdateContent => spendUpdate(organizationId, { event_id: randomUUID(), stars, ...purpose });
const holdOf = (purpose: object, stars = 1, id: string = randomUUID()): UpdateContent =>
  holdUpdate(id, { stars, expires_in_seconds: 600, ...purpose });
const refundOf = (
  { organizationId: organization_id }: LimitedSimulation,
  refunds: string,
): UpdateContent =>
  eventUpdate({
    type: 'stars.refunded',
    event_id: randomUUID(),
    organization_id,
    refunds,
    stars: 1,
  });

/** How many of these there are. */
const tally = (codes: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]),
  );
/** Partitions take all of it, so that each is decided: how many they take is no matter of limits. */
const sendAll = async (simulation: LimitedSimulation, asked: UpdateContent[][]) => {
  simulation.store.throughput.isLimited = false;
  const answers = await atOnce(simulation, asked);
  simulation.audit();
  return answers.flatMap((one) => one.results.map((_, i) => codeOf(one, i)));
};

test.each<[string, Limits, number]>([
  ['one limit', { 'spender/ada': { ...inAll(120), alert_at: 100 } }, 1],
  ['the default, as first spends', { 'default/spender': { ...inAll(120), alert_at: 100 } }, 1],
  ['two limits', { 'spender/ada': 150, 'feature/chat': { ...inAll(120), alert_at: 100 } }, 1],
  ['the default and a feature', { 'default/spender': 120, 'feature/chat': 120 }, 0],
])(
  `of ${many} spends and holds at once under %s, as many are made as it leaves (SEED=${seed})`,
  async (_, limits, alerts) => {
    const simulation = new LimitedSimulation(seed, limits);
    const asked = Array.from({ length: many }, (_, i) => [
      i % 2 ? spendOf(simulation, both) : holdOf(both),
    ]);
    const codes = await sendAll(simulation, asked);
    expect(tally(codes)).toEqual({ made: 120, spend_limit_reached: many - 120 });
    expect(simulation.notices('spend_limit.reached')).toBe(alerts || 2);
    expect(simulation.notices('spend_limit.low')).toBe(alerts);
    expect(simulation.counter('spender/ada')?.total).toBe(120);
  },
);

test('batches that meet and cross a limit make what it leaves', async () => {
  const simulation = new LimitedSimulation(seed, { 'spender/ada': 137, 'feature/chat': 500 });
  const batch = () => Array.from({ length: 25 }, () => spendOf(simulation, both, 2));
  const codes = await sendAll(simulation, Array.from({ length: 12 }, batch));
  expect(tally(codes)).toEqual({ made: 68, spend_limit_reached: 300 - 68 });
});

test('captures beyond their holds that meet take what the limit leaves, and not a star more', async () => {
  const simulation = new LimitedSimulation(seed, { 'spender/ada': 100 });
  const ids = Array.from({ length: 60 }, () => randomUUID() as string);
  await sendAll(
    simulation,
    ids.map((id) => [holdOf(ada, 1, id)]),
  );
  const capture = (id: string) => [captureUpdate(id, { stars: 3, up_to_available: true })];
  const codes = await sendAll(simulation, ids.map(capture));
  expect(tally(codes)).toEqual({ made: 60 });
  expect(simulation.counter('spender/ada')?.total).toBe(100);
});

test('what comes back while others spend can be spent again, once', async () => {
  const simulation = new LimitedSimulation(seed, { 'default/spender': 80 });
  const spent = Array.from({ length: 40 }, () => spendOf(simulation, ada));
  const ids = Array.from({ length: 40 }, () => randomUUID() as string);
  await sendAll(simulation, [
    ...spent.map((one) => [one]),
    ...ids.map((id) => [holdOf(ada, 1, id)]),
  ]);
  expect(await sendAll(simulation, [[spendOf(simulation, ada)]])).toEqual(['spend_limit_reached']);
  const codes = await sendAll(simulation, [
    ...spent.map(({ cause }) => [refundOf(simulation, cause.event_id)]),
    ...ids.map((id) => [releaseUpdate(id)]),
    ...Array.from({ length: 100 }, () => [spendOf(simulation, ada)]),
  ]);
  const { made = 0, spend_limit_reached = 0 } = tally(codes);
  expect(made + spend_limit_reached).toBe(180);
  expect(simulation.counter('spender/ada')?.total).toBe(made - 80);
});

test.each<[LimitPeriod, string]>([
  ['day', '2026-11-27T00:00:00Z'],
  ['week', '2026-11-30T00:00:00Z'],
  ['month', '2026-12-01T00:00:00Z'],
])('a %s that ends in a crowd has its limit, and so has the next one', async (period, end) => {
  const simulation = new LimitedSimulation(seed, {
    'default/spender': { ...inAll(30), period },
  });
  const { clock } = simulation;
  const endMs = Date.parse(end);
  clock.now = endMs - 2000;
  const next = random(seed);
  const asked = Array.from({ length: 240 }, () => [spendOf(simulation, ada)]);
  for (const contents of asked) {
    clock.after(next() * 4000, () => void simulation.send({ contents }));
  }
  await clock.run(30_000);
  simulation.audit();
  const isBefore = simulation.ledger().map(({ at }) => Date.parse(at) < endMs);
  expect([isBefore.filter(Boolean), isBefore.filter((one) => !one)]).toEqual([
    Array(30).fill(true),
    Array(30).fill(false),
  ]);
});

/** All that is asked under limits, by some spenders for some features. Some ends of holds and refunds come too late. */
const mixedOf = (simulation: LimitedSimulation, next: () => number) => {
  const [spends, holds]: [string[], string[]] = [[], []];
  const purpose = () => ({
    ...pick(next, [ada, { spender: 'bob' }, {}]),
    ...pick(next, [{ feature: 'chat' }, { feature: 'call' }, {}]),
  });
  const stars = () => 1 + Math.floor(next() * 4);
  const spend = () => {
    const content = spendOf(simulation, purpose(), stars());
    spends.push(content.cause.event_id);
    return [content];
  };
  const hold = () => {
    const id = randomUUID();
    holds.push(id);
    const expires_in_seconds = pick(next, [1, 3, 600]);
    return [holdUpdate(id, { stars: stars(), expires_in_seconds, ...purpose() })];
  };
  const ofHold = (contentOf: (id: string) => UpdateContent) => () => {
    const id = pick(next, holds);
    return id ? [contentOf(id)] : hold();
  };
  const refund = () => {
    const id = pick(next, spends);
    return id ? [refundOf(simulation, id)] : spend();
  };
  const repeat = (content: UpdateContent[]) => [...content, ...content];
  const capture = ofHold((id) => captureUpdate(id, { stars: 6, up_to_available: true }));
  const kinds = [
    ...[spend, spend, spend, hold, hold, capture, refund, ofHold(releaseUpdate)],
    () => [...spend(), ...spend(), ...spend()],
    () => repeat(spend()),
  ];
  return () => pick(next, kinds)();
};

test(`limits that come, change and go in a crowd hold for each transaction (SEED=${seed})`, async () => {
  const seen: Record<string, number> = {};
  const see = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1;
  };
  for (let round = 0; round < times(3, 30); round++) {
    const next = random(seed + round);
    const simulation = new LimitedSimulation(seed + round, { 'feature/call': 60 });
    const { clock, store, organizationId } = simulation;
    const mixed = mixedOf(simulation, next);
    const changeLimit = async () => {
      const table = store.open().during({ deadline: clock.now + 8500 });
      const [kind, name] = pick(next, [
        ['default', 'spender'],
        ['spender', 'ada'],
        ['feature', 'chat'],
      ] as const);
      const limit = {
        stars: Math.floor(next() * 60),
        period: pick(next, ['day', 'total'] as const),
        enabled: chance(next, 0.8),
        alert_at: null,
      };
      try {
        const before = await readLimit(table, organizationId, { kind, name });
        const writes = chance(next, 0.3)
          ? deleteLimit(organizationId, { kind, name }, before, clock.now)
          : putLimit(organizationId, { kind, name }, limit, before, clock.now);
        await commitIn(table)(writes, settingTerms);
        see('limit changed');
      } catch (error) {
        // Another change of limits came between; or there is none to delete.
        if (!(error instanceof ApiError)) throw error;
        see(`limit: ${error.code}`);
      }
    };
    const all: Promise<void>[] = [];
    const send = async () => {
      const contents = mixed();
      const answer = await simulation.send({ contents });
      for (const i of contents.keys()) see(codeOf(answer, i));
    };
    for (let n = 0; n < 500; n++) {
      clock.after(next() * 5000, () => all.push(send()));
    }
    for (let n = 0; n < 25; n++) {
      clock.after(next() * 5000, () => all.push(changeLimit()));
    }
    await clock.run(30_000);
    await Promise.all(all);
    simulation.audit();
  }
  process.stdout.write(`${JSON.stringify(seen)}\n`);
  for (const what of ['made', 'repeat', 'spend_limit_reached', 'limit changed']) {
    expect(seen[what] ?? 0, what).toBeGreaterThan(20);
  }
  expect(seen.write_conflict ?? 0).toBe(0);
});

test('80 spends a second under two limits are all made; who meets nobody pays four units and a reading more', async () => {
  const load = spendsOf(1, both);
  const limits = { 'spender/ada': 1_000_000, 'feature/chat': 1_000_000 };
  const run = (perSecond: number, seconds: number) =>
    new LimitedSimulation(seed, limits).run({ load, seed, perSecond, seconds });
  const alone = await run(1, 3);
  expect(alone.requestsOfOne).toEqual({ reads: 2, writes: 1 });
  expect(alone.unitsOfUpdate).toBe(8 + 4);
  const crowd = await run(80, times(10, 50));
  const p99 = percentile(crowd, 0.99);
  process.stdout.write(`under two limits: p99 ${p99} ms, ${crowd.unitsOfUpdate} units\n`);
  expect(crowd.refused).toEqual({});
  expect(p99).toBeLessThanOrEqual(1000);
  expect(crowd.unitsOfUpdate).toBeLessThanOrEqual(8 + 4 + 4);
});
