import { orderText } from '../../../table/indexes/lead-indexes.ts';
import { firstIdAt, type Lead } from '../../lead.ts';
import type { SortField } from './orders.ts';

/** The ranges by which leads can be filtered, and the field of each. */
export const rangedFields = {
  created: 'created_at',
  updated: 'updated_at',
  stage_entered: 'stage_entered_at',
  next_step: 'next_step_at',
  value: 'value_cents',
} as const;
type RangeName = keyof typeof rangedFields;
export const rangeNames = Object.keys(rangedFields) as RangeName[];

/** Times in milliseconds since the epoch, and values: `from` is in the range, `to` is not. */
export type Ranges = { [K in `${RangeName}_${'from' | 'to'}`]?: number | undefined };

interface Bounds<T> {
  from?: T | undefined;
  to?: T | undefined;
}

const boundsOf = (ranges: Ranges, name: RangeName): Bounds<number> => ({
  from: ranges[`${name}_from`],
  to: ranges[`${name}_to`],
});

export const isWithin = <T extends string | number>({ from, to }: Bounds<T>, value: T): boolean =>
  (from === undefined || value >= from) && (to === undefined || value < to);

/** The ranges that are given, but for that of a field. */
export const rangesBeside = (ranges: Ranges, field?: SortField): RangeName[] =>
  rangeNames.filter((name) => {
    const { from, to } = boundsOf(ranges, name);
    return rangedFields[name] !== field && (from ?? to) !== undefined;
  });

/** Whether a lead is in all of these ranges. A lead without a value is in none. */
export const isInRanges = (lead: Lead, ranges: Ranges, names = rangesBeside(ranges)): boolean =>
  names.every((name) => {
    const value = lead[rangedFields[name]];
    if (value === null) return false;
    return isWithin(boundsOf(ranges, name), typeof value === 'number' ? value : Date.parse(value));
  });

/** Sort keys. The end of a range is no key itself: it is shorter than the keys that it precedes. */
export type KeyRange = Bounds<string>;

/** An id holds the time of its creation, so a range of times is a range of ids. */
export const idRange = ({ created_from, created_to }: Ranges): KeyRange => ({
  from: created_from === undefined ? undefined : firstIdAt(created_from),
  to: created_to === undefined ? undefined : firstIdAt(created_to),
});

/** The sort keys of leads that are in the range of the field by which they are sorted. */
export const keyRange = (field: SortField, ranges: Ranges): KeyRange => {
  if (field === 'created_at') return idRange(ranges);
  const name = rangeNames.find((one) => rangedFields[one] === field);
  const { from, to } = name ? boundsOf(ranges, name) : {};
  const text = (bound: number | undefined) =>
    bound === undefined ? undefined : orderText(field, bound);
  return { from: text(from), to: text(to) };
};
