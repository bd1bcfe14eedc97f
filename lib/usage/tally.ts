import { type LedgerEntry, type UsedStars, usedStarsOf } from '../billing/stored/ledger-entry.ts';
import { dateOf, monthOf } from './days.ts';
import { type ByDate, groupings, type SumIds } from './sums.ts';

/** Sums that one transaction adds to: of its hundred items, one is the checkpoint. */
export const mostSums = 99;

type UsedEntry = Pick<LedgerEntry, 'at' | 'type' | 'stars' | 'lost' | 'feature' | 'spender'>;

/** What some entries add up to. */
export interface Tally {
  /** How many of the entries, from the first on, are in it. */
  entries: number;
  sums: { ids: SumIds; used: ByDate }[];
}

/** Adds up entries, the oldest first, until they touch more different sums than a transaction can. */
export const tally = (entries: readonly UsedEntry[], most = mostSums): Tally => {
  const sums = new Map<string, Tally['sums'][number]>();
  for (const [i, entry] of entries.entries()) {
    const used = usedStarsOf(entry);
    const all = used.spent_stars === 0 && used.refunded_stars === 0 ? [] : sumsOf(entry);
    if (sums.size + all.filter(({ name }) => !sums.has(name)).length > most) {
      return { entries: i, sums: [...sums.values()] };
    }
    for (const { name, ids } of all) {
      const sum = sums.get(name) ?? { ids, used: new Map() };
      add(sum.used, dateOf(entry.at), used);
      sums.set(name, sum);
    }
  }
  return { entries: entries.length, sums: [...sums.values()] };
};

/** The sums in which an entry counts that used stars. */
const sumsOf = ({ at, feature, spender }: UsedEntry): { name: string; ids: SumIds }[] => {
  const names = { day: '', feature: feature ?? '', spender: spender ?? '' };
  return groupings.map((grouping) => {
    const ids = { grouping, month: monthOf(at), name: names[grouping] };
    return { name: JSON.stringify(ids), ids };
  });
};

const add = (used: ByDate, date: string, more: UsedStars): void => {
  const before = used.get(date) ?? { spent_stars: 0, refunded_stars: 0 };
  used.set(date, {
    spent_stars: before.spent_stars + more.spent_stars,
    refunded_stars: before.refunded_stars + more.refunded_stars,
  });
};
