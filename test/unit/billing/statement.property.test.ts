import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readStatement } from '../../../lib/billing/statement.ts';
import type { Balance } from '../../../lib/billing/stored/balance.ts';
import type { LedgerEntry, UsedStars } from '../../../lib/billing/stored/ledger-entry.ts';
import { seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';
import { iso, organization_id, now as start } from './rules/wallets.ts';
import { step, World } from './world.ts';

// Months of wallets to which anything happens. A run is repeated with its SEED.

interface Month {
  from: number;
  to: number;
  opening: Balance;
  used: UsedStars;
  items: LedgerEntry[];
  closing: Balance;
}

/** A whole statement, read in pages of so many. */
const read = async (world: World, from: number, to: number, limit: number): Promise<Month> => {
  const items: LedgerEntry[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { from, to, limit, ...(cursor && { cursor }) };
    const page = await readStatement(world.table, organization_id, to + 15_000, query);
    items.push(...page.items);
    if (page.next_cursor === null) {
      const { opening, closing, spent_stars, refunded_stars } = page;
      return { from, to, items, opening, closing, used: { spent_stars, refunded_stars } };
    }
    assert.equal(page.items.length, limit);
    cursor = page.next_cursor;
  }
};

const sumsOf = (entries: readonly LedgerEntry[]) =>
  entries.reduce(
    ([monthly, pack, held, owed], entry) => [
      monthly! + entry.monthly_change - entry.monthly_lapsed,
      pack! + entry.pack_change - entry.pack_lapsed,
      held! + entry.held_change,
      owed! + entry.owed_change,
    ],
    [0, 0, 0, 0],
  );

const starsOf = ({ monthly_stars, pack_stars, held_stars, owed_stars }: Balance) => [
  monthly_stars,
  pack_stars,
  held_stars,
  owed_stars,
];

/** What spends and captures took, and what was refunded of it. */
const usedBy = (entries: readonly LedgerEntry[]): UsedStars => {
  const sumOf = (types: string[], of: (entry: LedgerEntry) => number) =>
    entries.filter(({ type }) => types.includes(type)).reduce((sum, one) => sum + of(one), 0);
  return {
    spent_stars: sumOf(['stars.spent', 'hold.captured'], ({ stars }) => 0 - stars),
    refunded_stars: sumOf(['stars.refunded'], ({ stars, lost }) =>
      lost.reduce((all, one) => all + one.stars, stars),
    ),
  };
};

/** When an entry was written down is told once it was. */
const withoutWriting = (entries: readonly LedgerEntry[]) =>
  entries.map((entry) => ({ ...entry, written_at: null }));

test(`a statement adds up, and is the same whenever it is read (SEED=${seed})`, async () => {
  const seen = { months: 0, pending: 0, reversed: 0, owed: 0, held: 0, spent: 0, refunded: 0 };
  const months = fc.array(
    fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 8 }),
      limit: fc.integer({ min: 1, max: 5 }),
      /** How long nothing is written before the month ends. */
      quiet: fc.integer({ min: 0, max: 15 }),
    }),
    { minLength: 4, maxLength: 15 },
  );
  await fc.assert(
    fc.asyncProperty(months, async (all) => {
      const world = new World();
      const told: Month[] = [];
      let [at, from] = [start, start - 1];
      for (const { steps, limit, quiet } of all) {
        for (const { later, ...one } of steps) {
          at += later;
          if (one.fields.type !== 'read') world.do(one, at);
        }
        at += quiet;
        const month = await read(world, from, at, limit);
        told.push(month);
        seen.pending += month.items.filter(({ version }) => version > world.wallet.version).length;
        [from, at] = [at, at + 1];
      }
      world.settle(at + 1_000_000);
      for (const [i, month] of told.entries()) {
        const { opening, items, closing, used } = month;
        const [before, during] = [
          world.entries.filter((entry) => entry.at <= iso(month.from)),
          world.entries.filter((entry) => entry.at > iso(month.from) && entry.at <= iso(month.to)),
        ];
        expect(withoutWriting(items)).toEqual(withoutWriting(during));
        assert.deepEqual(starsOf(opening), sumsOf(before));
        assert.deepEqual(starsOf(closing), sumsOf([...before, ...during]));
        assert.deepEqual(used, usedBy(during));
        if (i > 0) assert.deepEqual(starsOf(opening), starsOf(told[i - 1]!.closing));
        const again = await read(world, month.from, month.to, 7);
        expect({ ...again, items: withoutWriting(again.items) }).toEqual({
          ...month,
          items: withoutWriting(items),
        });
        seen.months++;
        seen.reversed += items.filter(({ type }) => type === 'pack.reversed').length;
        if (closing.owed_stars > 0) seen.owed++;
        if (used.spent_stars > 0) seen.spent++;
        if (used.refunded_stars > 0) seen.refunded++;
        if (opening.held_stars > 0) seen.held++;
      }
    }),
    { seed, numRuns: times(120, 500) },
  );
  process.stdout.write(`${seen.months} months\n`);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});
