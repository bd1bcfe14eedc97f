import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import type { Item } from '../../../lib/table/table.ts';
import {
  balanceOf,
  hold,
  inAnHour,
  openingWallet,
  putEvent,
  spend,
} from '../../support/billing.ts';
import { walletKey } from '../../support/keys.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { itemsOf, table } from '../../support/table.ts';
import { Admin, expectFailure } from './admin.ts';

// Step 2 of docs/runbooks/wallet-invariant.md, as whoever has the console does it.

const admin = new Admin();
const TableName = inject('service').tableName;
const audit = ({ id }: Organization) => admin.run('wallet', 'audit', id);
const walletOf = async ({ id }: Organization) => (await itemsOf(walletKey(id).pk))[0]!;
const put = (item: Item) => table.send(new PutCommand({ TableName, Item: item }));

const page = readFileSync(
  join(import.meta.dirname, '../../../docs/runbooks/wallet-invariant.md'),
  'utf8',
);
const [step = ''] = /^2\. .*?(?=^3\. )/ms.exec(page) ?? [];

// biome-ignore lint/suspicious/noExplicitAny: an item as the console shows it.
type Shown = Record<string, any>;

/** The wallet copied from the last entry and the open holds, onto what there is. */
const copied = async ({ id }: Organization, before: Shown): Promise<Shown> => {
  const last: Shown = (await itemsOf(`LEDGER#${id}`)).at(-1)!;
  const { packs = [], held = [0, 0], use = [0, 0], ...of } = last.wallet;
  const { grant = 0, lapse, next } = of;
  const holds = await itemsOf(`HOLDS#${id}`);
  const { next_hold_expiry: _, monthly_lapse_at: __, next_grant: ___, ...rest } = before;
  return {
    ...rest,
    version: last.version,
    at: Date.parse(last.at),
    monthly_stars: last.monthly_after ?? 0,
    pack_stars: last.pack_after ?? 0,
    owed_stars: last.owed_after ?? 0,
    monthly_grant_stars: grant,
    ...(lapse !== undefined && { monthly_lapse_at: lapse }),
    ...(next && { next_grant: { at: next[0], stars: next[1] } }),
    held: { monthly: held[0], pack: held[1] },
    used: { spent_stars: use[0], refunded_stars: use[1] },
    packs: packs.map(([expires_at, stars, heldOfPack]: number[]) => ({
      ...{ expires_at, stars, held: heldOfPack },
    })),
    ...(of.status !== undefined && {
      subscription: {
        ...before.subscription,
        ...{ tier: of.tier, status: of.status, current_period_end: of.end ?? 0 },
      },
    }),
    open_holds: holds.length,
    ...(holds[0] && { next_hold_expiry: Number(String(holds[0].sk).split('#')[0]) }),
  };
};

test('a wallet that owes stars, and is behind its ledger, is sound again by its runbook', async () => {
  const own = await provision(openingWallet(0, 10));
  await putEvent(own, { event_id: 'p', type: 'pack.purchased', stars: 50 });
  await spend(own, 55);
  const before = await walletOf(own);
  const reversed = { type: 'pack.reversed', purchase: 'p', source: 're_1', stars: 50 };
  await putEvent(own, { ...reversed, claw_back: true });
  const right = await balanceOf(own);
  expect(right).toMatchObject({ pack_stars: 0, owed_stars: 45 });
  await put(before);
  expectFailure(await audit(own), /it is as entry \d+ left it/, 3);
  await put((await copied(own, before)) as Item);
  expect((await audit(own)).stderr).toBe('');
  expect({ ...(await balanceOf(own)), as_of: right.as_of }).toEqual(right);
  // What is given next pays what is owed.
  await putEvent(own, { type: 'pack.purchased', stars: 50 });
  expect(await balanceOf(own)).toMatchObject({ pack_stars: 5, owed_stars: 0 });
});

test('a wallet that is missing is made from its entries by its runbook, and goes on', async () => {
  const own = await provision(openingWallet(40, 10));
  await putEvent(own, { type: 'pack.purchased', stars: 20, expires_at: inAnHour() });
  await hold(own, 'open', 45);
  await spend(own, 3);
  const setAlerts = () => own.put('/billing/alerts', { thresholds: [5] });
  const limit = { stars: 100, period: 'day' };
  expect((await setAlerts()).status).toBe(200);
  expect((await own.put('/billing/limits/spender/a', limit)).status).toBe(201);
  const right = await balanceOf(own);
  const before = await walletOf(own);
  await table.send(new DeleteCommand({ TableName, Key: walletKey(own.id) }));
  expectFailure(await audit(own), /has no wallet/, 3);
  expect((await own.get('/billing/balance')).status).toBe(500);

  const entries: Shown[] = await itemsOf(`LEDGER#${own.id}`);
  const [first, last] = [entries[0], entries.at(-1)];
  const made = await copied(own, {
    ...walletKey(own.id),
    opened_at: Date.parse(String(first!.at)),
    alerts_version: (await itemsOf(`ALERT_FACT#${own.id}`)).length,
    limits_version: (await itemsOf(`LIMIT_FACT#${own.id}`)).length,
    limits: { spender: (await itemsOf(`LIMITS#${own.id}`)).length, feature: 0 },
    months: last!.version,
    held_of_earlier_months: last!.wallet.held[0],
    ...{ reversed_held: [], former_subscriptions: [], thresholds: [] },
    subscription: { grace_minutes: 0, current_period_from: 0, lines: [] },
  });
  expect(Object.keys(before).filter((name) => !step.includes(`\`${name}\``))).toEqual([]);
  expect(Object.keys(made).filter((name) => !step.includes(`\`${name}\``))).toEqual([]);
  await put(made as Item);
  expect((await audit(own)).stderr).toBe('');
  expect({ ...(await balanceOf(own)), as_of: right.as_of }).toEqual(right);
  expect((await setAlerts()).status).toBe(200);
  expect((await own.delete('/billing/limits/spender/a')).status).toBe(204);
  expect((await own.post('/billing/holds/open/capture', { stars: 40 })).status).toBe(200);
  expect((await audit(own)).stderr).toBe('');
  await spend(own, 2);
  expect((await own.get('/billing/history')).status).toBe(200);
  expect((await balanceOf(own)).total_stars).toBe(right.total_stars - 42);
});
