import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { decodeCursor, encodeCursor, type ListIdentity } from '../schema/cursor.ts';
import { dateTime } from '../schema/fields.ts';
import { defaultLimit, fitIntoReply, pageQuery } from '../schema/pages.ts';
import { queryParameter } from '../schema/query-parameter.ts';
import { ordinal, ordinalPattern } from '../table/keys.ts';
import type { ItemOf } from '../table/kind.ts';
import { ReadBudget } from '../table/read-budget.ts';
import type { Table } from '../table/table.ts';
import { findLastEntry } from './find-entry.ts';
import type { AnyCause } from './rules/causes.ts';
import { assertChained } from './rules/invariants.ts';
import { type WalletEventType, walletEventTypes } from './rules/wallet-events.ts';
import type { LedgerEntry } from './stored/ledger-entry.ts';
import { ledgerEntryKind, toLedgerEntry } from './stored/stored-entry.ts';
import { walletKind } from './stored/wallet.ts';
import { feature, spender } from './terms/fields.ts';

/** The causes that are no events of a wallet. */
const isOtherCause: Record<Exclude<AnyCause['type'], WalletEventType>, true> = {
  'stars.granted': true,
  'stars.lapsed': true,
  'stars.held': true,
  'hold.extended': true,
  'hold.captured': true,
  'hold.released': true,
  'hold.expired': true,
};
const otherCauses = Object.keys(isOtherCause) as (keyof typeof isOtherCause)[];

/** The types of entries, named by what causes them. */
const entryTypes = ['organization.provisioned', ...walletEventTypes, ...otherCauses] as const;

/** The query parameters of `GET /billing/history`. */
export const historyQuery = z.strictObject({
  ...pageQuery,
  from: z.optional(queryParameter(dateTime())).check(z.describe('Only entries after this time.')),
  to: z
    .optional(queryParameter(dateTime()))
    .check(z.describe('Only entries of this time or earlier.')),
  type: z
    .optional(queryParameter(z.enum(entryTypes)))
    .check(z.describe('Only entries with this cause.')),
  feature: z.optional(queryParameter(feature())).check(z.describe('Only those for this.')),
  spender: z.optional(queryParameter(spender())).check(z.describe('Only those of this spender.')),
});
type HistoryQuery = z.output<typeof historyQuery>;

/** How many entries are examined at once, if not each of them is in the page. */
const examinedAtOnce = 240;
/** The units of an entry at most. */
const entryUnits = 1;

/**
 * A page of a wallet's entries, newest first, strongly consistent. With `type`, `feature` or `spender` it may be short,
 * or empty, and yet have a page after it. Throws `invalid_cursor`.
 */
export const readHistory = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  { cursor, limit = defaultLimit, from, to, ...names }: HistoryQuery,
): Promise<{ items: LedgerEntry[]; next_cursor: string | null }> => {
  const identity: ListIdentity = [organizationId, 'listBillingHistory', from, to, names];
  let start = cursor === undefined ? undefined : decodeCursor(identity, cursor, ordinalPattern);
  const range = await rangeOf(table, organizationId, from, to);
  if (!range) return { items: [], next_cursor: null };
  const { pk, first, last } = range;
  if (start !== undefined && (start < first || start > last)) throw new ApiError('invalid_cursor');
  const filter = filterOf(names);
  const found: ItemOf<typeof ledgerEntryKind>[] = [];
  const budget = new ReadBudget({ unitsOfItem: entryUnits });
  let [wanted, isEnd] = [filter ? Math.min(2 * limit, examinedAtOnce) : limit + 1, false];
  while (!isEnd && found.length <= limit && budget.affordable(wanted) > 0) {
    const page = await table.query({
      kind: ledgerEntryKind,
      condition: 'pk = :pk AND sk BETWEEN :first AND :last',
      ...(filter && { filter: filter.text, names: filter.names }),
      values: { ':pk': pk, ':first': first, ':last': last, ...filter?.values },
      limit: budget.affordable(wanted),
      startAfter: start === undefined ? undefined : { pk, sk: start },
      newestFirst: true,
      consistent: true,
    });
    found.push(...page.items);
    budget.take(page);
    wanted = filter ? examinedAtOnce : limit + 1 - found.length;
    isEnd = page.last === undefined;
    if (page.last) start = String(page.last.sk);
  }
  const items = fitIntoReply(found.slice(0, limit).map(toLedgerEntry));
  if (!filter) assertChained(items);
  const end = items.length < found.length ? found[items.length - 1]?.sk : start;
  const isLast = isEnd && items.length === found.length;
  return { items, next_cursor: isLast || !end ? null : encodeCursor(identity, end) };
};

/** The sort keys of the first and the last entry after a time and up to a later time; undefined if there is no entry. */
const rangeOf = async (
  table: Table<'GetItem'>,
  organizationId: string,
  from: number | undefined,
  to: number | undefined,
): Promise<{ pk: string; first: string; last: string } | undefined> => {
  const pk = ledgerEntryKind.partition({ organizationId });
  const [least, most] = [ordinal(1), ordinal(999_999_999_999)];
  if (from === undefined && to === undefined) return { pk, first: least, last: most };
  const { version } = (await table.get(walletKind.key({ organizationId }))) ?? { version: 0 };
  const lastUntil = async (time: number) =>
    (await findLastEntry(table, organizationId, version + 1, time)).version;
  const [before, last] = await Promise.all([
    from === undefined ? 0 : lastUntil(from),
    to === undefined ? undefined : lastUntil(to),
  ]);
  if (last !== undefined && last <= before) return undefined;
  return { pk, first: ordinal(before + 1), last: last === undefined ? most : ordinal(last) };
};

const filterOf = (names: Record<string, string | undefined>) => {
  const given = Object.entries(names).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  return {
    text: given.map(([name]) => `#${name} = :${name}`).join(' AND '),
    names: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
    values: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
  };
};
