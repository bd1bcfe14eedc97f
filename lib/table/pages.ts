import { decodeCursor, encodeCursor, type ListIdentity } from '../schema/cursor.ts';
import { defaultLimit, fitIntoReply } from '../schema/pages.ts';
import type { Item, Table } from './table.ts';

/** A list: a partition of the table, or those of its items whose sort keys have a prefix. */
export interface PartitionList<T> {
  identity: ListIdentity;
  pk: string;
  prefix?: string;
  /** Where the list begins, if not with the first item. */
  from?: string;
  /** The pattern of what follows the prefix in a sort key. */
  pattern: RegExp;
  newestFirst?: boolean;
  /** The list ends before the first item of which this is true. */
  isPast?: (item: Item) => boolean;
  toItem: (item: Item) => T;
}

/**
 * A page of a list, strongly consistent. One item more than the page is read, to know whether it is the
 * last; DynamoDB may stop before, at 1 MB, and so may the reply. Throws `invalid_cursor`.
 */
export const readPage = async <T>(
  table: Table<'Query'>,
  {
    identity,
    pk,
    prefix = '',
    from,
    pattern,
    newestFirst = false,
    isPast,
    toItem,
  }: PartitionList<T>,
  { cursor, limit = defaultLimit }: { cursor?: string | undefined; limit?: number | undefined },
): Promise<{ items: T[]; next_cursor: string | null }> => {
  const after = cursor === undefined ? undefined : decodeCursor(identity, cursor, pattern);
  const end = after === undefined ? undefined : prefix + after;
  const start = end === undefined || (from !== undefined && end < from) ? from : end;
  const { items, last } = await table.query({
    condition: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
    values: { ':pk': pk, ...(prefix && { ':prefix': prefix }) },
    limit: limit + 1,
    startAfter: start === undefined ? undefined : { pk, sk: start },
    newestFirst,
    consistent: true,
  });
  const past = isPast ? items.findIndex(isPast) : -1;
  const listed = past < 0 ? items : items.slice(0, past);
  const page = fitIntoReply(listed.slice(0, limit).map(toItem));
  const more = listed.length > page.length || (past < 0 && last !== undefined);
  const lastKey = String(items[page.length - 1]?.sk).slice(prefix.length);
  return { items: page, next_cursor: more ? encodeCursor(identity, lastKey) : null };
};
