import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { LedgerEntry } from '../../../lib/billing/stored/ledger-entry.ts';
import { emptyWallet } from '../../../lib/billing/stored/wallet.ts';
import type { Wake } from '../../../lib/queues/wakes.ts';
import { TableClient } from '../../../lib/table/client.ts';
import { places } from '../../../lib/table/keys.ts';
import { timeBoundsAfter } from '../../../lib/table/retry.ts';
import { countAnew, readCounted } from '../../../lib/usage/counted.ts';
import { countUsage } from '../../../lib/usage/projection.ts';
import { ledgerEntryItem } from '../../support/billing-items.ts';
import { random, seed } from '../../support/random.ts';
import { SimulatedStore } from '../../support/simulated-store.ts';
import { times } from '../../support/some.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { organization_id, now as start } from '../billing/rules/wallets.ts';
import { step, World } from '../billing/world.ts';

// Workers count what happens to a wallet, and are killed at any moment. A run is repeated with its SEED.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

/** How long a function has, and after how long a message is delivered again whose function was killed, in milliseconds. */
const [functionMs, redeliveredMs] = [50_000, 300_000];

type Kill = 'before' | 'after' | undefined;

/** A client of the table, of a function that is killed at one of its requests: before or after the table has it. */
class MortalClient {
  readonly config = { systemClockOffset: 0 };
  readonly #store: SimulatedStore;
  #requestsLeft: number;
  readonly #kill: Kill;
  readonly #onDeath: () => void;

  constructor(store: SimulatedStore, requestsLeft: number, kill: Kill, onDeath: () => void) {
    this.#store = store;
    this.#requestsLeft = requestsLeft;
    this.#kill = kill;
    this.#onDeath = onDeath;
  }

  async send(command: unknown, options: object): Promise<unknown> {
    const isLast = this.#kill !== undefined && this.#requestsLeft-- <= 0;
    if (isLast && this.#kill === 'before') return this.#die();
    const answer = await this.#store.send(command, options);
    return isLast ? this.#die() : answer;
  }

  #die(): Promise<never> {
    this.#onDeath();
    return new Promise(() => {});
  }
}

/** What befalls the counting. */
interface Fate {
  /** Milliseconds before each entry, and before what is done by hand. */
  gaps: number[];
  kills: { requests: number; kill: Kill }[];
  /** At which entries all is counted anew: by hand, or as the table was restored. */
  anew: number[];
  restored: number[];
}

class Counting {
  readonly clock: VirtualClock;
  readonly store: SimulatedStore;
  readonly #fate: Fate;
  readonly seen = { killed: 0, sessions: 0, transactions: 0, most: 0 };

  constructor(fate: Fate) {
    this.clock = new VirtualClock(random(seed));
    this.store = new SimulatedStore(this.clock);
    this.#fate = fate;
    this.store.onWrite = (items) => {
      this.seen.transactions++;
      this.seen.most = Math.max(this.seen.most, items.length);
    };
  }

  async run(entries: readonly LedgerEntry[]): Promise<void> {
    let at = 0;
    for (const [i, entry] of entries.entries()) {
      at += this.#fate.gaps[i % this.#fate.gaps.length]!;
      this.clock.after(at, () => {
        this.store.put(ledgerEntryItem(organization_id, entry, emptyWallet, 0));
        if (this.#fate.anew.includes(i)) void this.#countAnew();
        if (this.#fate.restored.includes(i)) this.#restore();
        this.#wake({ organization_id, consumer: 'usage' });
      });
    }
    await this.clock.run(at + 40 * redeliveredMs);
  }

  /** As the administrator's command does. */
  async #countAnew(): Promise<void> {
    const table = this.store.open();
    for (;;) {
      const before = await readCounted(table, organization_id);
      try {
        await table.transact([countAnew(organization_id, before)], { retryConflicts: false });
        return this.#wake({ organization_id, consumer: 'usage' });
      } catch {
        await this.clock.sleep(20);
      }
    }
  }

  /** Another table, in which sums are not what was counted. */
  #restore(): void {
    vi.stubEnv('TABLE_IDENTITY', randomUUID());
    const counted = this.store.get(places.usage.key({ organizationId: organization_id }));
    if (!counted) return;
    for (const sum of this.#sums(String(counted.sums_id)).slice(0, 2))
      this.store.put({ ...sum, spent_05: 1_000_000 });
  }

  #wake(wake: Wake, delayMs = 0, isRedelivered = false): void {
    this.clock.after(delayMs + 10, () => void this.#work(wake, isRedelivered));
  }

  async #work(wake: Wake, isRedelivered: boolean): Promise<void> {
    const { requests, kill } = this.#fate.kills[this.seen.sessions++] ?? {
      requests: 0,
      kill: undefined,
    };
    const again = () => this.#wake(wake, redeliveredMs, true);
    const client = new MortalClient(this.store, requests, kill, () => {
      this.seen.killed++;
      again();
    });
    const table = new TableClient(
      client as unknown as DynamoDBDocumentClient,
      'Simulated',
      timeBoundsAfter(functionMs),
    );
    const send = async (more: Wake, delayMs?: number) => this.#wake(more, delayMs);
    const context = { table, wakes: { send }, now: () => this.clock.now, onBehind: () => {} };
    await countUsage(context, wake, isRedelivered).catch(again);
  }

  #sums(sumsId: string) {
    const ids = { organizationId: organization_id, sumsId };
    return this.store.partition(places.usageSum.partition(ids));
  }

  /** How far it is counted, and what is counted by grouping, name and day. */
  outcome() {
    const counted = this.store.get(places.usage.key({ organizationId: organization_id }));
    const { checkpoint = 0, sums_id = '', former_sums = [], lease_until } = counted ?? {};
    const sums: Record<string, number> = {};
    for (const item of this.#sums(String(sums_id))) {
      const { grouping, month, name } = places.usageSum.idsOf(item as never);
      for (const [key, stars] of Object.entries(item)) {
        const [what, date] = key.split('_');
        if (date) sums[`${grouping} ${name} ${month}-${date} ${what}`] = Number(stars);
      }
    }
    return { checkpoint, former_sums, lease_until, sums };
  }
}

/** What the ledger has of each grouping, name and day. */
const recount = (entries: readonly LedgerEntry[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { type, at, monthly_change, pack_change, owed_change, lost, ...entry } of entries) {
    const isRefund = type === 'stars.refunded';
    if (!isRefund && type !== 'stars.spent' && type !== 'hold.captured') continue;
    const came = monthly_change + pack_change - owed_change;
    const stars = isRefund ? came + lost.reduce((all, one) => all + one.stars, 0) : -came;
    if (stars === 0) continue;
    const rest = `${at.slice(0, 10)} ${isRefund ? 'refunded' : 'spent'}`;
    for (const group of [
      'day ',
      `feature ${entry.feature ?? ''}`,
      `spender ${entry.spender ?? ''}`,
    ])
      sums[`${group} ${rest}`] = (sums[`${group} ${rest}`] ?? 0) + stars;
  }
  return sums;
};

const dayMs = 24 * 60 * 60 * 1000;

/** What happens to a wallet, with days between. */
const happenings = fc.array(
  fc.record({ days: fc.integer({ min: 0, max: 20 }), steps: fc.array(step, { maxLength: 20 }) }),
  { minLength: 1, maxLength: 8 },
);

const place = fc.integer({ min: 0, max: 60 });
const fate: fc.Arbitrary<Fate> = fc.record({
  gaps: fc.array(fc.constantFrom(0, 0, 1, 5, 20, 100, 40_000), { minLength: 1, maxLength: 9 }),
  kills: fc.array(
    fc.record({
      requests: fc.integer({ min: 0, max: 6 }),
      kill: fc.constantFrom<Kill>('before', 'after', undefined, undefined),
    }),
    { maxLength: 30 },
  ),
  anew: fc.array(place, { maxLength: 2 }),
  restored: fc.array(place, { maxLength: 1 }),
});

test(`usage is what the ledger says, once, whoever is killed (SEED=${seed})`, async () => {
  const seen = { killed: 0, anew: 0, restored: 0, spent: 0, refunded: 0, months: 0 };
  await fc.assert(
    fc.asyncProperty(happenings, fate, async (all, befalls) => {
      vi.stubEnv('TABLE_IDENTITY', 'first');
      const world = new World();
      let at = start;
      for (const { days, steps } of all) {
        at += days * dayMs;
        const stars = { type: 'pack.purchased' as const, stars: 300, expires_at: undefined };
        world.do({ id: 1000 + at, fields: stars }, at);
        for (const { later, ...one } of steps) {
          at += later;
          if (one.fields.type !== 'read') world.do(one, at);
        }
      }
      const { entries } = world;
      const counting = new Counting(befalls);
      await counting.run(entries);
      const outcome = counting.outcome();
      const sums = recount(entries);
      expect(outcome).toEqual({
        ...{ checkpoint: entries.length, former_sums: [], lease_until: undefined },
        sums,
      });
      // What the rules say that was spent and refunded, whatever the ledger says.
      const of = (what: string) =>
        Object.entries(sums).reduce(
          (stars, [key, more]) =>
            key.startsWith('day') && key.endsWith(what) ? stars + more : stars,
          0,
        );
      const spends = [...world.spends.values()];
      assert.equal(
        of('spent'),
        spends.flatMap(({ lots }) => lots).reduce((stars, lot) => stars + lot.stars, 0),
      );
      assert.equal(
        of('refunded'),
        spends.reduce((stars, { refunded }) => stars + refunded, 0),
      );
      const happened = (places: number[]) => places.some((one) => one < entries.length);
      seen.killed += counting.seen.killed;
      if (happened(befalls.anew)) seen.anew++;
      if (happened(befalls.restored)) seen.restored++;
      if (of('spent') > 0) seen.spent++;
      if (of('refunded') > 0) seen.refunded++;
      const months = Object.keys(sums).filter((key) => key.startsWith('day') && /-\d\d-/.test(key));
      if (new Set(months.map((key) => key.slice(0, 12))).size > 1) seen.months++;
    }),
    { seed, numRuns: times(200, 1500) },
  );
  process.stdout.write(`${JSON.stringify(seen)}\n`);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});

test('many spenders are counted in few transactions of at most 100 items, while workers meet', async () => {
  vi.stubEnv('TABLE_IDENTITY', 'first');
  const world = new World();
  const add = (id: number, fields: object) => world.do({ id, fields } as never, start + id);
  add(0, { type: 'pack.purchased', stars: 300 });
  for (let i = 1; i <= 130; i++) add(i, { type: 'stars.spent', stars: 1, spender: `s${i}` });
  const counting = new Counting({ gaps: [0], kills: [], anew: [], restored: [] });
  await counting.run(world.entries);
  expect(counting.outcome().sums).toEqual(recount(world.entries));
  expect(counting.outcome().checkpoint).toBe(131);
  expect(counting.seen.most).toBe(100);
});
