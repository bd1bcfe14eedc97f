import * as z from 'zod/mini';
import { ApiError, invalid } from '../errors/errors.ts';
import { decodeCursor, encodeCursor, type ListIdentity } from '../schema/cursor.ts';
import { dateTime } from '../schema/fields.ts';
import { defaultLimit, fitIntoReply, pageQuery } from '../schema/pages.ts';
import { queryParameter } from '../schema/query-parameter.ts';
import { ordinal, ordinalPattern } from '../table/keys.ts';
import type { Table } from '../table/table.ts';
import { momentAt, readUntil } from './read-balance.ts';
import { assertChained } from './rules/invariants.ts';
import type { Balance } from './stored/balance.ts';
import type { LedgerEntry, UsedStars } from './stored/ledger-entry.ts';
import { ledgerEntryKind, toLedgerEntry } from './stored/stored-entry.ts';

/** How far back a statement ends at least, in milliseconds: clocks of functions differ, and a write may still be under way. */
const settledAfterMs = 15_000;

/** The query parameters of `GET /billing/statement`. */
export const statementQuery = z.strictObject({
  ...pageQuery,
  from: z
    .optional(queryParameter(dateTime()))
    .check(
      z.describe(
        'Entries after this time; by default, after the beginning of `to`’s month, in UTC.',
      ),
    ),
  to: z
    .optional(queryParameter(dateTime()))
    .check(
      z.describe(
        'Entries of this time or earlier. At least 15 seconds in the past; by default, the end of last month, in UTC.',
      ),
    ),
});
type StatementQuery = z.output<typeof statementQuery>;

interface Statement extends UsedStars {
  opening: Balance;
  items: LedgerEntry[];
  closing: Balance;
  next_cursor: string | null;
}

/**
 * The balances at two times, what was used between them, and a page of what happened, the oldest first. What the clock has done, and nobody
 * has written down yet, is told as it will be written. Throws `invalid_request` for times out of order, and for a time that is
 * less than 15 seconds ago; `invalid_cursor`.
 */
export const readStatement = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  now: number,
  { cursor, limit = defaultLimit, ...times }: StatementQuery,
): Promise<Statement> => {
  const { to = monthOf(now - settledAfterMs) } = times;
  const { from = monthOf(to - 1) } = times;
  if (from > to) throw invalid('from', 'must not be after to');
  if (to > now - settledAfterMs) throw invalid('to', 'must be at least 15 seconds in the past');
  const identity: ListIdentity = [organizationId, 'getStatement', from, to];
  const after = cursor === undefined ? 0 : Number(decodeCursor(identity, cursor, ordinalPattern));
  const reading = await readUntil(table, organizationId, to);
  const [first, last] = await Promise.all([
    momentAt(table, organizationId, reading, from),
    momentAt(table, organizationId, reading, to),
  ]);
  const pending = reading.steps.filter(({ wallet }) => wallet.at > from).map(({ entry }) => entry);
  const end = pending.at(-1)?.version ?? last.version;
  if (after !== 0 && (after <= first.version || after >= end)) {
    throw new ApiError('invalid_cursor');
  }
  const start = Math.max(first.version, after);
  const written = await readEntries(table, organizationId, start, last.version, limit);
  // Entries that nobody has written down yet come after all that are written: a page of written entries may be short.
  const isWhole = (written.at(-1)?.version ?? start) >= last.version;
  const unwritten = isWhole ? pending.filter((entry) => entry.version > start) : [];
  const items = fitIntoReply([...written, ...unwritten].slice(0, limit));
  assertChained(items.toReversed());
  const shown = items.at(-1)?.version ?? end;
  return {
    opening: first.balance,
    items,
    closing: last.balance,
    spent_stars: last.used.spent_stars - first.used.spent_stars,
    refunded_stars: last.used.refunded_stars - first.used.refunded_stars,
    next_cursor: shown < end ? encodeCursor(identity, ordinal(shown)) : null,
  };
};

/** The beginning of a time's month, in UTC. */
const monthOf = (time: number): number => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
};

/** The entries after a version and up to a later version, the oldest first. */
const readEntries = async (
  table: Table<'Query'>,
  organizationId: string,
  after: number,
  last: number,
  limit: number,
): Promise<LedgerEntry[]> => {
  if (after >= last) return [];
  const { items } = await table.query({
    kind: ledgerEntryKind,
    condition: 'pk = :pk AND sk BETWEEN :first AND :last',
    values: {
      ':pk': ledgerEntryKind.partition({ organizationId }),
      ':first': ordinal(after + 1),
      ':last': ordinal(last),
    },
    limit,
    consistent: true,
  });
  return items.map(toLedgerEntry);
};
