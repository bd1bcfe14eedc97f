import {
  type LeadOrder,
  leadOrderNames,
  leadOrders,
  orderKey,
} from '../../../table/indexes/lead-indexes.ts';
import type { Lead } from '../../lead.ts';

/** The fields by which a list can be sorted. */
export type SortField = 'created_at' | LeadOrder;

/** How a list is sorted: by a field, and its leads with the same value by a part of their ids. */
export interface Order {
  field: SortField;
  descending: boolean;
}

export const newestFirst: Order = { field: 'created_at', descending: true };

const sortFields: SortField[] = ['created_at', ...leadOrderNames];

/** The values of the parameter `sort`: a field, or a field with `-` before it for descending. */
export const sorts = sortFields.flatMap((field) => [`-${field}`, field] as const);
export type Sort = (typeof sorts)[number];

export const toOrder = (sort: Sort): Order => ({
  field: sort.replace('-', '') as SortField,
  descending: sort.startsWith('-'),
});

/** The attribute that is the sort key where leads lie in this order. */
export const sortKeyOf = (field: SortField): string =>
  field === 'created_at' ? 'sk' : leadOrders[field].attribute;

// A position is the sort key, and then the id, which is the end of all sort keys but by creation.

/** A place in a list, as a text that sorts as the field does. */
export type Position = string;

/** The pattern of a position. */
export const positionForm = '[\\w-]{0,64}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const idCharacters = 36;

/** The position of a lead in an order; undefined for a lead without a value in the field. */
export const positionOf = (field: SortField, lead: Lead): Position | undefined => {
  if (field === 'created_at') return lead.id;
  const key = orderKey(field, lead);
  return key && key + lead.id;
};

/** Whether a text of the form of a position can be a position in this order. */
export const isPositionIn = (field: SortField, position: Position): boolean =>
  position.length > idCharacters === (field !== 'created_at');

/** The keys that an item at this position has. */
export const keysAt = (field: SortField, position: Position): { sk: string; sortKey: string } => {
  const sk = position.slice(-idCharacters);
  return { sk, sortKey: field === 'created_at' ? sk : position.slice(0, -idCharacters) };
};

/** Compares two positions, for sorting. */
export const inOrder =
  (order: Order) =>
  (one: Position, other: Position): number =>
    comesBefore(order, one, other) ? -1 : 1;

/** Whether a position comes before another position in the list. */
export const comesBefore = ({ descending }: Order, one: Position, other: Position): boolean =>
  descending ? one > other : one < other;
