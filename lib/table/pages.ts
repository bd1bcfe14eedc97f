import { decodeCursor, encodeCursor, type ListIdentity } from '../schema/cursor.ts';
import { defaultLimit, fitIntoReply } from '../schema/pages.ts';
import type { Key } from './place.ts';
import type { Item, QueryInput, ReadAs, Table } from './table.ts';

/** A list: a partition of the table, or those of its items whose sort keys have a prefix. */
export interface PartitionList<I extends Key, T> {
  identity: ListIdentity;
  kind: Required<ReadAs<I>>['kind'] & { sortPrefix: string };
  pk: string;
  /** Where the list begins, if not with the first item. */
  from?: string;
  /** The pattern of what follows the prefix in a sort key. */
  pattern: RegExp;
  newestFirst?: boolean;
  /** The list ends before the first item of which this is true. */
  isPast?: (item: I) => boolean;
  /** Undefined for an item that is not listed. */
  toItem: (item: I) => T | undefined;
}

/** Items that are read for a page at most. A page is shorter, or empty, where more than these are not listed. */
const mostExamined = 1000;

/**
 * A page of a list, strongly consistent. One item more than the page is read, to know whether it is the
 * last; DynamoDB may stop before, at 1 MB, and so may the reply. Throws `invalid_cursor`.
 */
export const readPage = async <I extends Key, T>(
  table: Table<'Query'>,
  list: PartitionList<I, T>,
  { cursor, limit = defaultLimit }: { cursor?: string | undefined; limit?: number | undefined },
): Promise<{ items: T[]; next_cursor: string | null }> => {
  const { identity, kind, pk, from, pattern, isPast = () => false, toItem } = list;
  const prefix = kind.sortPrefix;
  const after = cursor === undefined ? undefined : prefix + decodeCursor(identity, cursor, pattern);
  const listed: { sk: string; value: T }[] = [];
  let start = after === undefined || (from !== undefined && after < from) ? from : after;
  let [examined, isEnd, skipped] = [0, false, 1];
  // A query that was cut off at 1 MB makes a shorter page.
  while (listed.length <= limit && !isEnd && skipped > 0 && examined < mostExamined) {
    skipped = 0;
    const { items, last } = await table.query({
      kind,
      condition: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
      values: { ':pk': pk, ...(prefix && { ':prefix': prefix }) },
      limit: limit + 1,
      startAfter: start === undefined ? undefined : { pk, sk: start },
      newestFirst: list.newestFirst ?? false,
      consistent: true,
    });
    const past = items.findIndex(isPast);
    for (const item of past < 0 ? items : items.slice(0, past)) {
      const value = toItem(item);
      if (value === undefined) skipped++;
      else listed.push({ sk: item.sk, value });
    }
    examined += items.length;
    isEnd = past >= 0 || last === undefined;
    start = items.at(-1)?.sk ?? start;
  }
  const page = fitIntoReply(listed.slice(0, limit).map(({ value }) => value));
  const isCut = page.length < listed.length;
  const end = isCut ? listed[page.length - 1]?.sk : start;
  return {
    items: page,
    next_cursor: isEnd && !isCut ? null : encodeCursor(identity, String(end).slice(prefix.length)),
  };
};

/**
 * All items of a partition, or those that a filter lets pass, strongly consistent, however many requests to the table that
 * takes.
 */
export const readPartition = async <T>(
  table: Table<'Query'>,
  kind: Required<ReadAs<T>>['kind'],
  pk: string,
  { filter, values }: Partial<Pick<QueryInput<'Query'>, 'filter' | 'values'>> = {},
): Promise<T[]> => {
  const all: T[] = [];
  let startAfter: Item | undefined;
  do {
    const { items, last } = await table.query({
      kind,
      condition: 'pk = :pk',
      ...(filter !== undefined && { filter }),
      values: { ':pk': pk, ...values },
      limit: 1000,
      startAfter,
      consistent: true,
    });
    all.push(...items);
    startAfter = last;
  } while (startAfter);
  return all;
};
