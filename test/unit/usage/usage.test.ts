import { expect, test } from 'vitest';
import { emptyEntry } from '../../../lib/billing/stored/ledger-entry.ts';
import { emptyWallet } from '../../../lib/billing/stored/wallet.ts';
import { openTable } from '../../../lib/table/client.ts';
import { readCounted } from '../../../lib/usage/counted.ts';
import { countUsage } from '../../../lib/usage/projection.ts';
import { addToSum } from '../../../lib/usage/sums.ts';
import { readUsage } from '../../../lib/usage/usage.ts';
import { ledgerEntryItem } from '../../support/billing-items.ts';
import { ledgerEntryKey } from '../../support/keys.ts';
import { apply, spend, withStars } from '../billing/in-process-wallet.ts';
import { type Organization, withVariable } from '../support.ts';

const month = { from: '2026-11-01', to: '2026-11-30' };

/** What is counted now, and at which time all of it was. */
const count = async ({ id }: Organization, now = Date.now, meanwhile = () => {}) => {
  const behind: number[] = [];
  const sent: object[] = [];
  const context = {
    table: openTable().during({ deadline: Date.now() + 60_000 }),
    wakes: { send: async (wake: object) => void sent.push(wake) },
    now,
    onBehind: (milliseconds: number) => {
      behind.push(milliseconds);
      meanwhile();
    },
  };
  await countUsage(context, { organization_id: id, consumer: 'usage' }, false);
  return { behind, sent, units: context.table.unitsByKind };
};

const usageOf = ({ id }: Organization, query: object = {}) =>
  readUsage(openTable(), id, Date.now(), query);

test('a thousand spenders of a month are read for 51 units a page of 200', async () => {
  const organization = await withStars(0, 1);
  const organizationId = organization.id;
  await count(organization);
  const { sums_id: sumsId } = await readCounted(openTable(), organizationId);
  const everyDay = new Map(
    Array.from({ length: 31 }, (_, i) => [
      String(i + 1).padStart(2, '0'),
      { spent_stars: 12_345_678, refunded_stars: i % 10 === 0 ? 123_456 : 0 },
    ]),
  );
  const names = Array.from({ length: 1000 }, (_, i) => `spender-with-a-long-name-${i + 1000}`);
  for (let i = 0; i < names.length; i += 100) {
    const writes = names.slice(i, i + 100).map((name) => {
      const ids = { organizationId, sumsId, grouping: 'spender', month: '2026-11', name } as const;
      return addToSum(ids, everyDay);
    });
    await openTable().transact(writes);
  }
  const read: string[] = [];
  let cursor: string | undefined;
  do {
    const table = openTable();
    const query = { ...month, group_by: 'spender' as const, limit: 200, cursor };
    const page = await readUsage(table, organizationId, Date.now(), query);
    read.push(...page.items.map(({ name }) => name!));
    // And two of the wallet, and how far it is counted.
    expect(table.units).toBeLessThanOrEqual(51 + 2);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  expect(read).toEqual(names);
});

test('a thousand spends by as many spenders are counted for 2 write units each, a spend alone for 8', async () => {
  const organization = await withStars(0, 10_000);
  await count(organization);
  const put = (versions: number[]) =>
    openTable().transact(
      versions.map((version) => {
        const ids = { version, event_id: `e${version}`, type: 'stars.spent' };
        const entry = { ...emptyEntry, ...ids, at: '2026-11-28T09:00:00.000Z', stars: -1 };
        const spent = { ...entry, pack_change: -1, spender: `s${version}` };
        return { Put: { Item: ledgerEntryItem(organization.id, spent, emptyWallet, 0) } };
      }),
    );
  const versions = Array.from({ length: 1000 }, (_, i) => i + 2);
  for (let i = 0; i < versions.length; i += 100) await put(versions.slice(i, i + 100));
  const { units } = await count(organization);
  const { items } = await usageOf(organization, { ...month, group_by: 'feature' });
  expect(items).toEqual([{ name: null, spent_stars: 1000, refunded_stars: 0 }]);
  expect(units.written).toBeLessThanOrEqual(2100);
  expect(units.read).toBeLessThanOrEqual(200);
  await put([1002]);
  expect((await count(organization)).units.written).toBe(8);
});

test('usage says until when it is counted: now, or until its last entry', async () => {
  const organization = await withStars(0, 100);
  const made = Date.now();
  const asOf = async () => Date.parse((await usageOf(organization)).as_of);
  // Nothing is counted: before the wallet was made, there was nothing.
  expect(await asOf()).toBeLessThanOrEqual(made);
  await count(organization);
  expect(await asOf()).toBeGreaterThanOrEqual(made);
  await apply(spend(organization, 5));
  const { behind } = await count(organization);
  expect(behind).toEqual([expect.any(Number)]);
  const counted = (await readCounted(openTable(), organization.id)).counted_until!;
  await apply(spend(organization, 7));
  expect(await asOf()).toBe(Date.parse(counted));
  const spentStars = async () =>
    (await usageOf(organization, { group_by: 'feature' })).items.map((one) => one.spent_stars);
  expect(await spentStars()).toEqual([5]);
  await count(organization);
  expect(await spentStars()).toEqual([12]);
  // What is counted is not behind.
  expect((await count(organization)).behind).toEqual([]);
});

test('in a table that was restored nothing counts until all is counted anew', async () => {
  const organization = await withStars(0, 100);
  await apply(spend(organization, 5));
  await count(organization);
  const spentStars = async () =>
    (await usageOf(organization, { group_by: 'spender' })).items.map((one) => one.spent_stars);
  await withVariable('TABLE_IDENTITY', 'restored', async () => {
    expect(await spentStars()).toEqual([]);
    expect(Date.parse((await usageOf(organization)).as_of)).toBeLessThan(Date.now());
    const { sent } = await count(organization);
    expect(sent).toEqual([{ organization_id: organization.id, consumer: 'usage' }]);
    await count(organization);
    expect(await spentStars()).toEqual([5]);
  });
});

test('who counts while the table is restored sends the wake that others left to it', async () => {
  const organization = await withStars(0, 100);
  const wake = { organization_id: organization.id, consumer: 'usage', id: 'usage' };
  await apply(spend(organization, 5));
  expect((await count(organization)).sent).toEqual([]);
  await apply(spend(organization, 7));
  await withVariable('TABLE_IDENTITY', process.env.TABLE_IDENTITY, async () => {
    const restore = () => {
      process.env.TABLE_IDENTITY = 'restored';
    };
    expect((await count(organization, Date.now, restore)).sent).toEqual([wake]);
  });
});

test('an entry that is missing holds up those after it for 15 seconds: then it never comes', async () => {
  const organization = await withStars(0, 100);
  for (const stars of [1, 2, 4]) await apply(spend(organization, stars));
  // As a restore may lose one.
  const { pk, sk } = ledgerEntryKey(organization.id, 3);
  await openTable().transact([{ Delete: { Key: { pk, sk } } }]);
  const checkpoint = async () => (await readCounted(openTable(), organization.id)).checkpoint;
  await count(organization);
  expect(await checkpoint()).toBe(2);
  await count(organization);
  expect(await checkpoint()).toBe(2);
  await count(organization, () => Date.now() + 16_000);
  expect(await checkpoint()).toBe(4);
  const { items } = await usageOf(organization, { group_by: 'feature' });
  expect(items).toEqual([{ name: null, spent_stars: 5, refunded_stars: 0 }]);
});
