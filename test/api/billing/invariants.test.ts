import { readFileSync } from 'node:fs';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { walletInvariantLines } from '../../../infra/monitoring/wallets.ts';
import { assertChained, assertSum } from '../../../lib/billing/invariants.ts';
import { emptyEntry, type LedgerEntry } from '../../../lib/billing/ledger.ts';
import { mostInCompartment } from '../../../lib/billing/stars.ts';
import { assertWallet, emptyWallet, type Wallet, walletItem } from '../../../lib/billing/wallet.ts';
import { ledgerEntryKey, walletKey } from '../../../lib/table/keys.ts';
import { balanceOf, capture, hold, spend } from '../../support/billing.ts';
import { matches } from '../../support/filter-pattern.ts';
import { provision } from '../../support/organization.ts';
import { itemsOf, table } from '../../support/table.ts';

const wallet: Wallet = {
  ...emptyWallet,
  version: 2,
  monthly_stars: 5,
  pack_stars: 7,
  monthly_grant_stars: 10,
};
const entry = (fields: Partial<LedgerEntry>): LedgerEntry => ({
  ...emptyEntry,
  version: 1,
  at: '2026-01-01T00:00:00.000Z',
  type: 'pack.purchased',
  event_id: 'e',
  ...fields,
});
const first = entry({ monthly_change: 10, pack_change: 7, monthly_after: 10, pack_after: 7 });
const second = entry({
  version: 2,
  monthly_lapsed: 6,
  monthly_change: 1,
  monthly_after: 5,
  pack_after: 7,
});

test('a sound wallet and its entries are let through', () => {
  assertWallet(wallet);
  assertWallet({ ...wallet, pack_stars: mostInCompartment });
  assertChained([second, first]);
  assertChained([entry({ ...second, pack_lapsed: 2, pack_after: 5 }), first]);
  assertSum(wallet, [second, first]);
  const held = entry({ ...second, held_change: 3, held_after: 3 });
  assertSum({ ...wallet, held: { monthly: 1, pack: 2 } }, [held, first]);
  assertSum({ ...wallet, version: 0, monthly_stars: 0, pack_stars: 0 }, []);
});

test.each([
  ['negative', { pack_stars: -1 }, 'pack_stars is -1'],
  ['broken', { monthly_stars: 0.5 }, 'monthly_stars is 0.5'],
  ['no number', { monthly_stars: Number.NaN }, 'monthly_stars is NaN'],
  [
    'missing',
    { monthly_grant_stars: undefined as unknown as number },
    'monthly_grant_stars is undefined',
  ],
  ['more than there can be', { pack_stars: mostInCompartment + 1 }, 'pack_stars is '],
  ['held beyond what there is', { held: { monthly: 6, pack: 0 } }, 'free_monthly_stars is -1'],
  ['held beyond what is in packs', { held: { monthly: 0, pack: 8 } }, 'free_pack_stars is -1'],
  [
    'in packs beyond what there is',
    { packs: [{ expires_at: 1, stars: 8, held: 0 }] },
    'free_pack_stars is -1',
  ],
  [
    'held beyond their pack',
    { packs: [{ expires_at: 1, stars: 1, held: 2 }] },
    'free_stars_of_pack_0 is -1',
  ],
])('stars that are %s are refused', (_what, fields, message) => {
  expect(() => assertWallet({ ...wallet, ...fields })).toThrow(
    expect.objectContaining({
      name: 'wallet_invariant',
      message: expect.stringContaining(message),
    }),
  );
});

test.each([
  ['a gap', [entry({ ...second, version: 3 }), first]],
  ['a star too many', [entry({ ...second, pack_after: 8 }), first]],
  ['a lapse left out', [entry({ ...second, monthly_lapsed: 0 }), first]],
  ['a pack’s lapse left out', [entry({ ...second, pack_lapsed: 1 }), first]],
  ['a held star too many', [entry({ ...second, held_after: 1 }), first]],
])('entries with %s are refused', (_what, entries) => {
  expect(() => assertChained(entries)).toThrow('does not follow');
  expect(() => assertSum(wallet, entries)).toThrow('does not follow');
});

test.each([
  ['another balance', { ...wallet, pack_stars: 8 }, [second, first]],
  ['other monthly stars', { ...wallet, monthly_stars: 6 }, [second, first]],
  ['other held stars', { ...wallet, held: { monthly: 1, pack: 0 } }, [second, first]],
  ['fewer entries than its version', wallet, [second]],
  ['later entries', wallet, [entry({ ...second, version: 3 }), entry({ ...first, version: 2 })]],
  ['none at all', wallet, []],
])('a wallet with %s than its entries is refused', (_what, one, entries) => {
  expect(() => assertSum(one, entries)).toThrow('the wallet is at version 2');
});

test('a wallet that can’t be is refused whatever its entries, and one that does not sum is told whole', () => {
  const negative = { ...wallet, monthly_stars: -1 };
  expect(() => assertSum(negative, [second, first])).toThrow('monthly_stars is -1');
  const held = { ...wallet, held: { monthly: 1, pack: 2 } };
  expect(() => assertSum(held, [second, first])).toThrow(
    'the wallet is at version 2 with 5 monthly and 7 pack stars, 3 of them held; ' +
      'its 2 entries end at version 2 with 5, 7 and 0',
  );
});

test('a wallet changed past the service is neither told, spent nor counted on, and the log says so', async () => {
  const { tableName: TableName, logFile } = inject('service');
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const spendOne = () => spend(organization, 1, { event_id: 'spend' });
  const change = (pack_stars: number) => {
    const Item = walletItem(organization.id, {
      ...wallet,
      version: 1,
      monthly_stars: 0,
      pack_stars,
    });
    return table.send(new PutCommand({ TableName, Item }));
  };
  await change(-7);
  const { status, headers } = await organization.get('/billing/balance');
  expect(status).toBe(500);
  const failed = await spendOne();
  expect(failed.status).toBe(500);
  // As the metric filter of the alarm finds them.
  const found = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes(organization.id))
    .map((line) => JSON.parse(line))
    .filter((line) => matches(walletInvariantLines, line))
    .map(({ message }) => message);
  const requests = found.map(({ operation, request_id }) => [operation, request_id]);
  expect(requests).toContainEqual(['getBalance', headers.get('x-request-id')]);
  expect(requests).toContainEqual(['putSpend', failed.headers.get('x-request-id')]);
  await change(7);
  expect((await organization.get('/billing/balance')).body.pack_stars).toBe(7);
  const { status: spent, body } = await spendOne();
  expect([spent, body.balance.pack_stars]).toEqual([201, 6]);
});

test('a history that does not sum is not told', async () => {
  const { tableName: TableName } = inject('service');
  const organization = await provision({ wallet: { pack_stars: 7 } });
  await spend(organization, 2);
  const history = () => organization.get('/billing/history');
  const [entry] = (await history()).body.items;
  expect(entry).toMatchObject({ version: 2, pack_after: 5 });
  const put = (fields: object) => {
    const Item = { ...ledgerEntryKey(organization.id, 2), ...entry, ...fields };
    return table.send(new PutCommand({ TableName, Item }));
  };
  await put({ pack_after: 6 });
  expect((await history()).status).toBe(500);
  await put({});
  expect((await history()).status).toBe(200);
});

test('a wallet that is behind its entries is whole again with the one that the last entry has', async () => {
  const { tableName: TableName } = inject('service');
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const { id } = organization;
  const Key = walletKey(id);
  const { Item: old } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  await hold(organization, 'hold', 3);
  await organization.put('/billing/alerts', { thresholds: [2] });
  const sound = { ...(await balanceOf(organization)), as_of: expect.any(String) };
  const restore = async (fields: object) => {
    const Item = { ...old, thresholds: [2], thresholds_version: 1, ...fields };
    await table.send(new PutCommand({ TableName, Item }));
    return balanceOf(organization);
  };
  const last = (await itemsOf(ledgerEntryKey(id, 2).pk)).at(-1)!;
  // What is 0 is not stored.
  const { version, monthly_after: monthly_stars = 0, pack_after: pack_stars = 0 } = last;
  expect(await restore({ version, monthly_stars, pack_stars })).not.toEqual(sound);
  const [monthly, pack] = (last.wallet as { held: [number, number] }).held;
  const holds = await itemsOf(`HOLDS#${id}`);
  const after = {
    version,
    at: Date.parse(String(last.at)),
    monthly_stars,
    pack_stars,
    held: { monthly, pack },
    open_holds: holds.length,
    next_hold_expiry: Number(String(holds[0]?.sk).slice(0, 16)),
  };
  expect(await restore(after)).toEqual(sound);
  expect((await organization.get('/billing/alerts')).body).toEqual({ thresholds: [2] });
  expect((await capture(organization, 'hold')).body).toMatchObject({ captured_stars: 3 });
});
