import { readFileSync } from 'node:fs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { walletInvariantLines } from '../../../infra/monitoring/wallets.ts';
import { assertChained, assertSum, assertWallet } from '../../../lib/billing/invariants.ts';
import type { LedgerEntry } from '../../../lib/billing/ledger.ts';
import { mostInCompartment } from '../../../lib/billing/stars.ts';
import { emptyWallet, type Wallet, walletItem } from '../../../lib/billing/wallet.ts';
import { ledgerEntryKey } from '../../../lib/table/keys.ts';
import { matches } from '../../support/filter-pattern.ts';
import { invoke, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

const wallet: Wallet = {
  ...emptyWallet,
  version: 2,
  monthly_stars: 5,
  pack_stars: 7,
  monthly_grant_stars: 10,
};
const entry = (fields: Partial<LedgerEntry>): LedgerEntry => ({
  version: 1,
  at: '2026-01-01T00:00:00.000Z',
  type: 'pack.purchased',
  event_id: 'e',
  refunds: null,
  reason: null,
  monthly_lapsed: 0,
  pack_lapsed: 0,
  monthly_change: 0,
  pack_change: 0,
  held_change: 0,
  monthly_after: 0,
  pack_after: 0,
  held_after: 0,
  lost: [],
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
  assertSum(wallet, [second, first]);
  assertSum({ ...wallet, version: 0, monthly_stars: 0, pack_stars: 0 }, []);
});

test.each([
  ['negative', { pack_stars: -1 }],
  ['broken', { monthly_stars: 0.5 }],
  ['no number', { monthly_stars: Number.NaN }],
  ['missing', { monthly_grant_stars: undefined as unknown as number }],
  ['more than there can be', { pack_stars: mostInCompartment + 1 }],
  ['held beyond what there is', { held: { monthly: 6, pack: 0 } }],
  ['in packs beyond what there is', { packs: [{ expires_at: 1, stars: 8, held: 0 }] }],
  ['held beyond their pack', { packs: [{ expires_at: 1, stars: 1, held: 2 }] }],
])('stars that are %s are refused', (_what, fields) => {
  expect(() => assertWallet({ ...wallet, ...fields })).toThrow(
    expect.objectContaining({ name: 'wallet_invariant' }),
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
});

test.each([
  ['another balance', { ...wallet, pack_stars: 8 }, [second, first]],
  ['other held stars', { ...wallet, held: { monthly: 1, pack: 0 } }, [second, first]],
  ['fewer entries than its version', wallet, [second]],
  ['none at all', wallet, []],
])('a wallet with %s than its entries is refused', (_what, one, entries) => {
  expect(() => assertSum(one, entries)).toThrow('the wallet is at version 2');
});

test('a wallet changed past the service is neither told, spent nor counted on, and the log says so', async () => {
  const { tableName: TableName, logFile } = inject('service');
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const spend = () =>
    invoke('spendStars', { organization_id: organization.id, event_id: 'spend', stars: 1 });
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
  expect((await spend()).failed).toBe(true);
  // As the metric filter of the alarm finds them.
  const found = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes(organization.id) || line.includes('spendStars'))
    .map((line) => JSON.parse(line))
    .filter((line) => matches(walletInvariantLines, line))
    .map(({ message }) => message);
  const requests = found.map(({ operation, request_id }) => [operation, request_id]);
  expect(requests).toContainEqual(['getBalance', headers.get('x-request-id')]);
  expect(requests).toContainEqual(['spendStars', expect.any(String)]);
  await change(7);
  expect((await organization.get('/billing/balance')).body.pack_stars).toBe(7);
  expect((await spend()).payload).toMatchObject({ spent: true, balance: { pack_stars: 6 } });
});

test('a history that does not sum is not told', async () => {
  const { tableName: TableName } = inject('service');
  const organization = await provision({ wallet: { pack_stars: 7 } });
  await invoke('spendStars', { organization_id: organization.id, event_id: 'spend', stars: 2 });
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
