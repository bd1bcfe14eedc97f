import * as z from 'zod/mini';
import type { UsedStars } from '../billing/stored/ledger-entry.ts';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import type { Write } from '../table/table.ts';
import { update } from '../table/write.ts';

/** By what usage is told. Each entry counts once in each of them. */
export const groupings = ['day', 'feature', 'spender'] as const;
export type Grouping = (typeof groupings)[number];

/** The sum of a day in its month, by the date's two digits. */
type DaySum = `${'spent' | 'refunded'}_${string}`;

/** What was used of each day of a month: `spent_05`, `refunded_05`. A day without any is not there. */
type MonthSums = { [K in DaySum]?: number };

export const usageSumKind = new Kind(places.usageSum, {
  holds: 'stars used in a month, by day, in all or for a name',
  attributes: z.pipe(
    z.transform(({ pk, sk, ...sums }: Record<string, unknown>) => sums),
    z.record(z.templateLiteral([z.enum(['spent', 'refunded']), '_', z.string()]), z.int()),
  ) as unknown as z.ZodMiniType<MonthSums>,
});

/** What names a sum of an organization. Grouped by day, one sum is of all stars; `name` is empty for stars without a name. */
export interface SumIds {
  grouping: Grouping;
  month: string;
  name: string;
}

/** What is used on the days of a month, by their dates. */
export type ByDate = Map<string, UsedStars>;

/** Adds to a sum what was used on these days. */
export const addToSum = (
  ids: SumIds & { organizationId: string; sumsId: string },
  used: ByDate,
): Write<'UpdateItem'> => {
  const sums = [...used].flatMap(([date, { spent_stars, refunded_stars }]): [DaySum, number][] => [
    [`spent_${date}`, spent_stars],
    [`refunded_${date}`, refunded_stars],
  ]);
  return update(usageSumKind.key(ids), {
    add: Object.fromEntries(sums.filter(([, stars]) => stars !== 0)),
  });
};

/** What was used on a day, by the sums of its month. */
export const usedOn = (sums: MonthSums | undefined, date: string): UsedStars => ({
  spent_stars: sums?.[`spent_${date}`] ?? 0,
  refunded_stars: sums?.[`refunded_${date}`] ?? 0,
});
