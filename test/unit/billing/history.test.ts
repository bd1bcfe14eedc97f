import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readHistory } from '../../../lib/billing/history.ts';
import type { Table } from '../../../lib/table/table.ts';
import { ledgerEntryKey } from '../../support/keys.ts';

// What the table answers is tested with an engine: test/api/billing/list-billing-history.test.ts.

const organizationId = randomUUID();
type HistoryTable = Table<'GetItem' | 'Query'>;

/** Answers as DynamoDB does, of so many entries of so many units, none of which passes the filter. */
const tableOf = (count: number, unitsOfEntry = 0) => {
  const limits: number[] = [];
  const query: HistoryTable['query'] = async ({ limit, startAfter }) => {
    limits.push(limit);
    const left = startAfter ? Number(startAfter.sk) - 1 : count;
    const examined = Math.min(limit, left);
    const last = { ...ledgerEntryKey(organizationId, left - examined + 1) };
    return {
      items: [],
      examined,
      units: examined * unitsOfEntry,
      last: examined === limit ? last : undefined,
    };
  };
  return { limits, table: { query } as HistoryTable };
};

test('a page without a match takes at most 240 units, however large the entries are', async () => {
  const { limits, table } = tableOf(2000, 1);
  const page = await readHistory(table, organizationId, { type: 'stars.spent' });
  expect([page.items, limits]).toEqual([[], [100, 140]]);
  expect(page.next_cursor).not.toBeNull();
});

test('a page without a match examines 1,000 entries, and the next page goes on after them', async () => {
  const { limits, table } = tableOf(2100);
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    limits.length = 0;
    const query = { type: 'stars.spent' as const, ...(cursor && { cursor }) };
    const page = await readHistory(table, organizationId, query);
    expect(page.items).toEqual([]);
    pages.push([...limits]);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  // At first as many as make a page where every other one matches.
  const whole = [100, 240, 240, 240, 180];
  expect(pages).toEqual([whole, whole, [100, 240]]);
});
