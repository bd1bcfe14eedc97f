import { lead as answered, type Lead, leadFields } from '../../lib/leads/lead.ts';
import { type LeadOrder, leadOrderNames } from '../../lib/table/indexes/lead-indexes.ts';
import { chance, pick, type Random } from './random.ts';

// Values of the fields by which leads are sorted, and their order by rule. Every test of lists takes them from here.

interface OrderRule<T> {
  /** Values that leads have, also the least and the greatest. Leads often share one. */
  values: readonly [T, T, ...T[]];
  /** Below 0 where the first of two comes first, and 0 where both have the same place. It knows nothing of `leadOrders`. */
  compare: (one: T, other: T) => number;
}
type Value<O extends LeadOrder> = NonNullable<Lead[O]>;

const byNumber = (one: number, other: number): number => one - other;
const byTime = (one: string, other: string): number => Date.parse(one) - Date.parse(other);

/** Times of so many days from a day on, each at another minute. */
const days = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(first) + i * (24 * 60 + 1) * 60_000).toISOString(),
  );
const [firstTime, lastTime] = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];

/** A new order needs a rule here: `npm run types` asks for it. */
export const orderRules: { readonly [O in LeadOrder]: OrderRule<Value<O>> } = {
  updated_at: {
    values: ['2026-11-01T09:00:00.000Z', '2026-11-01T09:00:00.001Z', ...days('2026-11-02', 40)],
    compare: byTime,
  },
  value_cents: {
    values: [0, 1, 2 ** 53 - 1, ...Array.from({ length: 40 }, (_, i) => (i + 1) * 1000)],
    compare: byNumber,
  },
  next_step_at: {
    values: [firstTime, '2026-12-01T09:00:00.000Z', lastTime, ...days('2026-12-01', 40)],
    compare: byTime,
  },
};

/** Compares two values of a field by which lists can be sorted. */
export const compareValues = (
  field: 'created_at' | LeadOrder,
  one: string | number,
  other: string | number,
): number => {
  const compare: (one: never, other: never) => number =
    field === 'created_at' ? byTime : orderRules[field].compare;
  return compare(one as never, other as never);
};

const isNullable = (order: LeadOrder): boolean => answered.shape[order].safeParse(null).success;

/** What lists are sorted by, of one lead. A field that can be null is so at the odds of `absent`. */
export const orderValues = (next: Random, absent = 0.2): Pick<Lead, LeadOrder> =>
  Object.fromEntries(
    leadOrderNames.map((order) => {
      const values: readonly Value<LeadOrder>[] = orderRules[order].values;
      return [order, isNullable(order) && chance(next, absent) ? null : pick(next, values)];
    }),
  ) as Pick<Lead, LeadOrder>;

type SentOrder = Extract<LeadOrder, keyof typeof leadFields>;
/** The orders by what a request can say of a lead. */
export const sentOrders = leadOrderNames.filter((order): order is SentOrder => order in leadFields);

/** As `orderValues`, but only what a request can say. */
export const sentOrderValues = (next: Random, absent?: number): Pick<Lead, SentOrder> => {
  const all = orderValues(next, absent);
  return Object.fromEntries(sentOrders.map((order) => [order, all[order]])) as Pick<
    Lead,
    SentOrder
  >;
};

/** The orders that these leads do not test: no two of them have different values of the field. */
export const untriedOrders = (leads: Iterable<Lead>): LeadOrder[] => {
  const all = [...leads];
  return leadOrderNames.filter(
    (order) => new Set(all.flatMap((lead) => lead[order] ?? [])).size < 2,
  );
};
