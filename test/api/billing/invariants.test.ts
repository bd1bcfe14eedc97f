import { readFileSync } from 'node:fs';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { walletInvariantLines } from '../../../infra/monitoring/wallets.ts';
import { emptyWallet } from '../../../lib/billing/stored/wallet.ts';
import { balanceOf, capture, hold, spend } from '../../support/billing.ts';
import { walletItem } from '../../support/billing-items.ts';
import { matches } from '../../support/filter-pattern.ts';
import { ledgerEntryKey, walletKey } from '../../support/keys.ts';
import { pastCommits, provision } from '../../support/organization.ts';
import { itemsOf, setFields, table } from '../../support/table.ts';

// What can't be: test/unit/billing/rules/invariants.test.ts. Here is that nothing is answered or decided by it.

const { tableName: TableName, logFile } = inject('service');

test('a wallet changed past the service is neither told, spent nor counted on, and the log says so', async () => {
  const organization = await provision({ name: pastCommits, wallet: { pack_stars: 7 } });
  const spendOne = () => spend(organization, 1, { event_id: 'spend' });
  const change = (pack_stars: number) => {
    const wallet = { ...emptyWallet, version: 1, monthly_grant_stars: 10, pack_stars };
    const Item = walletItem(organization.id, wallet);
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
  const organization = await provision({ name: pastCommits, wallet: { pack_stars: 7 } });
  await spend(organization, 2);
  const history = () => organization.get('/billing/history');
  const stored = await itemsOf(ledgerEntryKey(organization.id, 2).pk);
  const entry = stored.find(({ version }) => version === 2);
  expect(entry).toMatchObject({ version: 2, pack_after: 5 });
  const setPackAfter = (pack_after: number) =>
    setFields(ledgerEntryKey(organization.id, 2), { pack_after });
  await setPackAfter(6);
  expect((await history()).status).toBe(500);
  await setPackAfter(5);
  expect((await history()).status).toBe(200);
});

test('a wallet that is behind its entries is whole again with the one that the last entry has', async () => {
  const organization = await provision({ name: pastCommits, wallet: { pack_stars: 7 } });
  const { id } = organization;
  const Key = walletKey(id);
  const { Item: old } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  await hold(organization, 'hold', 3);
  await organization.put('/billing/alerts', { thresholds: [2] });
  const sound = { ...(await balanceOf(organization)), as_of: expect.any(String) };
  const restore = async (fields: object) => {
    const Item = { ...old, thresholds: [2], ...fields };
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
