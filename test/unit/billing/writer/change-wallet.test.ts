import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { setThresholds } from '../../../../lib/billing/alerts.ts';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import type { WalletEvent } from '../../../../lib/billing/rules/wallet-events.ts';
import { noticeKind } from '../../../../lib/billing/stored/notice.ts';
import { toWallet, walletKind } from '../../../../lib/billing/stored/wallet.ts';
import { changeWalletInBatch } from '../../../../lib/billing/writer/change-wallet.ts';
import type { TableClient } from '../../../../lib/table/client.ts';
import { readPartition } from '../../../../lib/table/pages.ts';
import { expectSoundLedger } from '../../../support/billing.ts';
import { conflict, FaultStore } from '../../../support/faults/fault-store.ts';
import { eventRecordKey } from '../../../support/keys.ts';
import { commitIn } from '../../../support/origin.ts';
import type { Organization } from '../../support.ts';
import {
  apply,
  change,
  changing,
  failure,
  hidingOnce,
  historyOf,
  soon,
  spend,
  table,
  walletOf,
  watchedTable,
  withStars,
} from '../in-process-wallet.ts';

// That a batch does what its events do one after another: change-wallet.property.test.ts. Here is how.

/** What is left after each, or why it is not applied. */
const send = async (
  events: readonly WalletEvent[],
  to: TableClient = table.during({ deadline: soon() }),
) => {
  const updates = events.map((event) => eventUpdate(event));
  const results = await changeWalletInBatch(
    changing(to),
    change(events[0]!.organization_id, ...updates),
  );
  return results.map((result) => {
    if ('error' in result) return (result.error as { code: string }).code;
    return result.record.balance.total_stars;
  });
};

const spends = (organization: Organization, count: number, stars = 1) =>
  Array.from({ length: count }, () => spend(organization, stars));

afterEach(() => {
  vi.useRealTimers();
});

test('a batch is one reading and one transaction, with the wallet written once; a repeat writes nothing', async () => {
  const organization = await withStars(0, 100);
  const { requests, table: watched } = watchedTable();
  const events = spends(organization, 25);
  const left = await send(events, watched);
  expect(left).toEqual(Array.from({ length: 25 }, (_, i) => 99 - i));
  expect(await send(events, watched)).toEqual(left);
  expect(requests).toEqual([
    ['BatchGet', 26],
    ['TransactWrite', 51],
    // The repeat.
    ['BatchGet', 26],
  ]);
  const entries = await historyOf(organization);
  expectSoundLedger(entries);
  expect(entries).toHaveLength(26);
});

// A transaction takes 100 items: the wallet, two of each spend, and one for each threshold.
test.each([
  [0, [50, 12], [99, 23]],
  [1, [50, 12], [100, 23]],
  [2, [50, 13], [99, 25]],
  [3, [50, 13], [100, 25]],
])(
  '60 spends that fall to %i thresholds are made in two transactions, each as full as it can be',
  async (count, read, written) => {
    const organization = await withStars(0, 100);
    const organizationId = organization.id;
    const thresholds = [90, 80, 70].slice(0, count);
    const wallet = toWallet(walletKind.parse((await walletOf(organization))!));
    await commitIn(table)(setThresholds(organizationId, thresholds, wallet, Date.now()));
    const { counts, table: watched } = watchedTable();
    const left = await send(spends(organization, 60), watched);
    expect(left).toEqual(Array.from({ length: 60 }, (_, i) => 99 - i));
    expect([counts('BatchGet'), counts('TransactWrite')]).toEqual([read, written]);
    expect((await walletOf(organization))?.version).toBe(61);
    const all = await readPartition(table, noticeKind, noticeKind.partition({ organizationId }));
    const told = all.map((one) => one.type === 'stars.low' && one.threshold);
    expect(told).toEqual(thresholds);
  },
);

test('of a batch, an event that another applies meanwhile has its outcome, and the others are applied', async () => {
  const organization = await withStars(0, 10);
  const events = spends(organization, 3, 2);
  const {
    requests,
    counts,
    table: watched,
  } = watchedTable(async ({ operation }, pass) => {
    if (operation === 'TransactWrite' && requests.length === 2) await apply(events[1]!);
    return pass();
  });
  expect(await send(events, watched)).toEqual([6, 8, 4]);
  // The race that it loses, its waiting request, and what is left with the removal of that.
  expect(counts('TransactWrite')).toEqual([7, 1, 6]);
});

test('an event that was applied after its record was read has its first outcome, and one of no organization none', async () => {
  const organization = await withStars(0, 10);
  const one = spend(organization, 8);
  await apply(one);
  const late = hidingOnce(eventRecordKey(organization.id, one.event_id));
  expect(await send([one, spend(organization, 1)], late)).toEqual([2, 1]);
  const nobody = spends({ id: randomUUID() } as Organization, 2);
  expect(await send(nobody)).toEqual(Array(2).fill('invalid_request'));
  const details = [{ path: 'organization_id', message: 'is not an organization' }];
  expect(await failure(apply(nobody[0]!))).toEqual({ code: 'invalid_request', details });
});

test('when the time is up, all that is left are conflicts, and nothing is stored', async () => {
  const organization = await withStars(0, 10);
  const conflicting = new FaultStore(async ({ operation }, pass) => {
    if (operation === 'TransactWrite') throw conflict();
    return pass();
  });
  const late = conflicting.table({ deadline: Date.now() });
  expect(await send(spends(organization, 2), late)).toEqual(Array(2).fill('write_conflict'));
  expect((await walletOf(organization))?.pack_stars).toBe(10);
  expect(await send(spends(organization, 2))).toEqual([9, 8]);
});

test.each([
  ['is over', 1, Array(11).fill('timeout'), 1],
  ['lasts for one more millisecond', 0, [50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40], 2],
])(
  'where the time %s after the first transaction, the rest of a batch is told so',
  async (_what, beyondMs, rest, transactions) => {
    const organization = await withStars(0, 100);
    const deadline = Date.now() + 9500;
    const store = new FaultStore(async ({ operation }, pass) => {
      const written = await pass();
      if (operation !== 'TransactWrite') return written;
      counts.transactions++;
      vi.useFakeTimers({ toFake: ['Date'], now: deadline + beyondMs });
      return written;
    });
    const counts = { transactions: 0 };
    const events = spends(organization, 60);
    const results = await send(events, store.table({ deadline }));
    const done = Array.from({ length: 49 }, (_, i) => 99 - i);
    expect(results).toEqual([...done, ...rest]);
    expect(counts.transactions).toBe(transactions);
    vi.useRealTimers();
    // Nothing is lost, and nothing is made twice.
    expect((await send(events)).toSorted()).toEqual(
      Array.from({ length: 60 }, (_, i) => 99 - i).toSorted(),
    );
  },
);

test('of a batch, each is made until its own not_after, and not a millisecond later', async () => {
  const organization = await withStars(0, 10);
  const now = Date.now() + 5000;
  vi.useFakeTimers({ toFake: ['Date'], now });
  const to = table.during({ deadline: soon() });
  const notAfter = [now, now - 1, undefined];
  const updates = spends(organization, 3).map((event, i) => eventUpdate(event, notAfter[i]));
  const results = await changeWalletInBatch(changing(to), change(organization.id, ...updates));
  expect(results).toMatchObject([
    { record: { balance: { total_stars: 9 } } },
    { error: { code: 'too_late' } },
    { record: { balance: { total_stars: 8 } } },
  ]);
});
