import { expect, test } from 'vitest';
import { handler as getStatement } from '../../../functions/billing/get-statement.ts';
import { readStatement } from '../../../lib/billing/statement.ts';
import { type Organization, run } from '../support.ts';
import { at, held, iso, named, now, useStillClock } from './holds/in-process-holds.ts';
import {
  apply,
  eventOf,
  historyOf,
  spend,
  walletOf,
  watchedTable,
  withStars,
} from './in-process-wallet.ts';

// That any statement adds up: statement.property.test.ts.

useStillClock();

const ask = async (
  organization: Organization,
  from: number,
  to: number,
  more: Record<string, string[]> = {},
) => {
  const query = { from: [iso(from)], to: [iso(to)], ...more };
  return run(getStatement, { headers: organization.headers(), query });
};

test('what has lapsed and expired is in a statement at its own time, before and after it was written down', async () => {
  const organization = await withStars(0, 100);
  const { hold_id } = named(organization);
  const pack = { type: 'pack.purchased', stars: 50, expires_at: iso(now + 2000) };
  await apply(eventOf(organization, pack));
  await held({ ...named(organization), hold_id }, 60, 1);
  await apply(spend(organization, 5));
  at(now + 20_000);
  const read = async () => (await ask(organization, now, now + 5000)).body;
  const before = await read();
  const told = before.items.map(({ type, at, stars, pack_lapsed }: Record<string, unknown>) => [
    type,
    at,
    stars,
    pack_lapsed,
  ]);
  // The hold had taken all 50 of the pack, and gave them back before that expired.
  expect(told).toEqual([
    ['hold.expired', iso(now + 1000), 0, 0],
    ['stars.lapsed', iso(now + 2000), 0, 50],
  ]);
  expect(before.items.map(({ written_at }: { written_at: string | null }) => written_at)).toEqual([
    null,
    null,
  ]);
  expect(before.opening).toMatchObject({ pack_stars: 145, held_stars: 60, as_of: iso(now) });
  expect(before.closing).toMatchObject({ pack_stars: 95, held_stars: 0, as_of: iso(now + 5000) });
  await apply(spend(organization, 1));
  const after = await read();
  const written = after.items.map((item: object) => ({ ...item, written_at: null }));
  expect({ ...after, items: written }).toEqual(before);
  expect(after.items[1].written_at).toBe(iso(now + 20_000));
  expect(
    (await historyOf(organization)).map(({ type }: { type: string }) => type).slice(4),
  ).toEqual(['hold.expired', 'stars.lapsed', 'stars.spent']);
  expect((await walletOf(organization))?.pack_stars).toBe(94);
});

test('an entry of the first moment is not in a statement, one of the last is; and it ends 15 seconds ago at the latest', async () => {
  const organization = await withStars(0, 100);
  at(now + 1000);
  await apply(spend(organization, 1));
  at(now + 2000);
  await apply(spend(organization, 2));
  at(now + 17_000);
  const starsIn = async (from: number, to: number) =>
    (await ask(organization, from, to)).body.items.map(({ stars }: { stars: number }) => stars);
  expect(await starsIn(now + 999, now + 2000)).toEqual([-1, -2]);
  expect(await starsIn(now + 1000, now + 2000)).toEqual([-2]);
  expect(await starsIn(now + 1000, now + 1999)).toEqual([]);
  expect((await ask(organization, now, now + 2001)).status).toBe(400);
});

test('pages of a statement go on from what is written to what will be', async () => {
  const organization = await withStars(0, 100);
  for (const seconds of [1, 2, 3]) await held(named(organization), 10, seconds);
  at(now + 30_000);
  const versions: number[] = [];
  let cursor: string | undefined;
  do {
    const more = { limit: ['2'], ...(cursor && { cursor: [cursor] }) };
    const { body } = await ask(organization, now - 1000, now + 10_000, more);
    versions.push(...body.items.map(({ version }: { version: number }) => version));
    cursor = body.next_cursor ?? undefined;
    if (cursor) {
      const foreign = await ask(await withStars(0, 1), now - 1000, now + 10_000, more);
      if (more.cursor) expect(foreign.body.error.code).toBe('invalid_cursor');
    }
    if (versions.length === 4) await apply(spend(organization, 1));
    expect(body.opening.total_stars).toBe(0);
    expect(body.closing).toMatchObject({ total_stars: 100, held_stars: 0 });
  } while (cursor);
  expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('a page that DynamoDB cuts short, as it does large ones, has no gap before what will be written', async () => {
  const organization = await withStars(0, 100);
  for (const seconds of [1, 2]) await held(named(organization), 10, seconds);
  at(now + 30_000);
  const { table: cutting } = watchedTable(async ({ operation, input }, pass) => {
    const found = await pass();
    const isOfLedger = JSON.stringify(input).includes('LEDGER#');
    return operation === 'Query' && isOfLedger
      ? { ...found, Items: found.Items.slice(0, 1) }
      : found;
  });
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const times = { from: now - 1000, to: now + 10_000 };
    const query = { ...times, ...(cursor && { cursor }) };
    const page = await readStatement(cutting, organization.id, Date.now(), query);
    pages.push(page.items.map(({ version }) => version));
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  // The last entry that is written comes with the two that will be.
  expect(pages).toEqual([[1], [2], [3, 4, 5]]);
});
