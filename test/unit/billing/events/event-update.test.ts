import { afterEach, expect, test, vi } from 'vitest';
import { setThresholds } from '../../../../lib/billing/alerts.ts';
import { readWallet } from '../../../../lib/billing/read-balance.ts';
import { openTable } from '../../../../lib/table/client.ts';
import { unnumbered } from '../../../support/asked.ts';
import { expectSoundLedger } from '../../../support/billing.ts';
import { FaultStore, type StoreStep } from '../../../support/faults/fault-store.ts';
import { eventRecordKey, ledgerEntryKey, noticeKey } from '../../../support/keys.ts';
import { commitIn } from '../../../support/origin.ts';
import {
  apply,
  applyTo,
  eventOf,
  failure,
  hidingOnce,
  historyOf,
  refusalOf,
  soon,
  spend,
  table,
  walletOf,
  watchedTable,
  withStars,
} from '../in-process-wallet.ts';

// What it does to wallet and ledger, and what is refused: test/api/billing/put-spend.test.ts and put-event.test.ts.

test('an entry is never written over', async () => {
  const organization = await withStars(0, 25);
  const entry = async () => unnumbered((await table.get(ledgerEntryKey(organization.id, 1)))!);
  const before = await entry();
  const behind = { ...(await walletOf(organization)), version: 0 };
  await table.transact([{ Put: { Item: behind } }]);
  // Told at once, and not tried again: no other writer is the cause.
  const { code } = (await failure(apply(spend(organization, 1))))!;
  expect(code).toBeUndefined();
  expect(await entry()).toEqual(before);
});

test('a repeat is answered from its record, in any order of its fields, when no star is left', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 10, { reason: 'r' });
  const { requests, table: watched } = watchedTable();
  const repeat = { ...(await applyTo(watched, event)), isRepeat: true };
  expect(await applyTo(watched, event)).toEqual(repeat);
  expect(requests).toEqual([
    ['BatchGet', 2],
    ['TransactWrite', 4],
    ['BatchGet', 2],
  ]);
  const turned = Object.fromEntries(Object.entries(event).reverse()) as typeof event;
  expect(await apply(turned)).toEqual(repeat);
  expect((await historyOf(organization)).length).toBe(2);
});

test('a repeat with anything else in it is refused, and names the field', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 1, { reason: 'r' });
  await apply(event);
  for (const change of [{ stars: 2 }, { reason: 'other' }, { feature: 'f' }, { spender: 's' }]) {
    expect(await failure(apply({ ...event, ...change } as typeof event))).toEqual({
      code: 'event_id_reused',
      details: [{ path: 'event_id', message: expect.stringMatching(/./) }],
    });
  }
  expect((await walletOf(organization))?.pack_stars).toBe(9);
});

test('what fails because the table is out of reach is not tried again here', async () => {
  const organization = await withStars(0, 10);
  const { requests, table: halfAway } = watchedTable(({ operation }, pass) => {
    if (operation !== 'TransactWrite') return pass();
    throw new Error('connect ECONNREFUSED');
  });
  const work = applyTo(halfAway, spend(organization, 1));
  expect(await failure(work)).toMatchObject({ code: 'unavailable' });
  expect(requests.length).toBe(2);
});

test('a plan is read for a period that the event tells without lines, and for nothing else', async () => {
  const organization = await withStars(0, 0);
  const [from, until] = ['2030-01-01T00:00:00Z', '2030-02-01T00:00:00Z'];
  const line = { from, until, monthly_grant_stars: 1, tier: 'none' };
  const { requests, table: watched } = watchedTable();
  const paid = (fields: object) => eventOf(organization, { type: 'subscription.paid', ...fields });
  await applyTo(watched, paid({ lines: [line] }));
  const unknown = applyTo(watched, paid({ tier: 'none', period_end: until }));
  expect(await refusalOf(unknown)).toBe('unknown_plan');
  const reads = requests.filter(([operation]) => operation !== 'TransactWrite');
  // What was refused looks for its record again.
  expect(reads).toEqual([
    ['BatchGet', 2],
    ['BatchGet', 3],
    ['Get', 1],
  ]);
});

/** A table where others come between reading and writing, as often as told. */
const overtaken = (meanwhile: () => Promise<unknown>, times = 1, deadline = soon()) => {
  let left = times;
  const step: StoreStep = async ({ operation }, pass) => {
    const found = await pass();
    if (['Get', 'BatchGet'].includes(operation) && left-- > 0) await meanwhile();
    return found;
  };
  return new FaultStore(step).table({ deadline });
};

test('a repeat that comes while the first is applied is answered as the first', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 10);
  let first: unknown;
  const { requests, table: between } = watchedTable(async ({ operation }, pass) => {
    if (operation === 'TransactWrite') first = await apply(event);
    return pass();
  });
  expect(await applyTo(between, event)).toEqual({ ...(first as object), isRepeat: true });
  // It loses the race, leaves a waiting request, and removes that alone.
  const written = requests.filter(([operation]) => operation === 'TransactWrite');
  expect(written.map(([, count]) => count)).toEqual([4, 1, 1]);
  expect((await historyOf(organization)).length).toBe(2);
});

test('a repeat that reads the record before, and the wallet after, the first is not refused', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 10);
  const first = await apply(event);
  const late = hidingOnce(eventRecordKey(organization.id, event.event_id));
  expect(await applyTo(late, event)).toEqual({ ...first, isRepeat: true });
});

test('a refund that reads its spend before, and the wallet after, another refund never gives more than was spent', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 4);
  await apply(event);
  const refund = (stars: number) =>
    eventOf(organization, { type: 'stars.refunded', stars, refunds: event.event_id });
  const key = eventRecordKey(organization.id, event.event_id);
  const before = (await table.get(key))!;
  await apply(refund(3));
  expect(await refusalOf(applyTo(hidingOnce(key, before), refund(2)))).toBe('more_than_spent');
  expect((await applyTo(hidingOnce(key, before), refund(1))).balance.total_stars).toBe(10);
});

test('who loses a race decides anew from the wallet as it is then', async () => {
  const organization = await withStars(0, 10);
  const between = overtaken(() => apply(spend(organization, 3)), 3);
  const { balance } = await applyTo(between, spend(organization, 1));
  expect(balance.total_stars).toBe(0);
  expectSoundLedger(await historyOf(organization));
});

test('thresholds that are set while a spend is decided stay, and it tells of those', async () => {
  const organization = await withStars(0, 10);
  const { id } = organization;
  const set = async (thresholds: number[]) =>
    commitIn(table)(setThresholds(id, thresholds, await readWallet(table, id), Date.now()));
  await set([9, 8]);
  const between = overtaken(() => set([9, 7]));
  await applyTo(between, spend(organization, 3));
  expect((await walletOf(organization))?.thresholds).toEqual([9, 7]);
  const notices = [0, 1].map((place) => table.get(noticeKey(id, 2, place)));
  expect((await Promise.all(notices)).map((one) => one?.threshold)).toEqual([9, 7]);
  // Who sets them by what was read before is refused.
  const read = await readWallet(table, id);
  const stale = { ...read, alerts_version: read.alerts_version - 1 };
  const late = commitIn(table)(setThresholds(id, [1], stale, Date.now()));
  expect(await failure(late)).toMatchObject({ code: 'write_conflict' });
});

test('who loses a race gives up when the time is up, and nothing is stored', async () => {
  const organization = await withStars(0, 10);
  const between = overtaken(() => apply(spend(organization, 1)), 1, Date.now() - 1);
  const late = applyTo(between, spend(organization, 5));
  expect(await failure(late)).toMatchObject({ code: 'write_conflict' });
  expect((await walletOf(organization))?.pack_stars).toBe(9);
  expect((await historyOf(organization)).length).toBe(2);
});

afterEach(() => {
  vi.useRealTimers();
});

/** The try and its repeat have this many milliseconds from their start. The stars come two seconds later. */
const heldUp = async (patienceMs: number | undefined) => {
  const organization = await withStars(0, 5);
  const event = spend(organization, 5);
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now });
  const notAfter = patienceMs && now + patienceMs;
  const late = overtaken(async () => {
    await apply(spend(organization, 1));
    const repeat = applyTo(openTable().during({ deadline: soon() }), event, notAfter);
    expect((await failure(repeat))?.code).toBe('insufficient_stars');
    vi.setSystemTime(now + 2000);
    await apply(eventOf(organization, { type: 'pack.purchased', stars: 10 }));
  });
  const code = (await failure(applyTo(late, event, notAfter)))?.code;
  return [code, (await walletOf(organization))?.pack_stars];
};

test.each([
  ['spends them without a not_after', undefined, undefined, 9],
  ['spends them until its not_after', 2000, undefined, 9],
  ['is too late after its not_after', 1999, 'too_late', 14],
])(
  'a try that is held up while its repeat is refused, and stars come in then, %s',
  async (_what, patienceMs, code, left) => {
    expect(await heldUp(patienceMs)).toEqual([code, left]);
  },
);
