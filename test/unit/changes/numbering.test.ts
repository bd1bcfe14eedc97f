import { afterEach, expect, test, vi } from 'vitest';
import { freshnessMs, mostAtOnce } from '../../../lib/changes/numbering.ts';
import { entriesOf, outboxEntry } from '../../../lib/changes/outbox.ts';
import { places } from '../../../lib/table/keys.ts';
import { ledgerEntryKey, noticeKey } from '../../support/keys.ts';
import { chance, random, seed } from '../../support/random.ts';
import { withVariable } from '../support.ts';
import { Outbox, table, takeAway, upTo } from './outbox.ts';

/** From now on time stands still until the test ends. Timers are real. */
const stopClock = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
afterEach(() => void vi.useRealTimers());

/** In the feed, each lead's and the wallet's versions are in their order, from the first one. */
const expectInOrder = async (outbox: Outbox, count: number) => {
  const changes = await outbox.feed();
  expect(changes.map(({ sequence }) => sequence)).toEqual(upTo(count));
  expect(new Set(changes.map(({ event_id }) => event_id)).size).toBe(count);
  const entries = changes.filter(({ type }) => type !== 'stars.depleted');
  const subjects = Map.groupBy(entries, (one) => ('lead_id' in one ? one.lead_id : 'wallet'));
  for (const ofOne of subjects.values()) {
    expect(ofOne.map(({ version }) => version)).toEqual(upTo(ofOne.length));
  }
  return changes;
};

const typesIn = async (outbox: Outbox) =>
  (await outbox.feed()).map(({ type, version }) => `${version} ${type}`);

test('the outbox says which entry an item is or belongs to, once for all of its items', () => {
  const ledger = ledgerEntryKey('o', 3);
  const member = places.member.key({ organizationId: 'o', userId: 'u' });
  expect(outboxEntry(ledger)).toEqual({ organizationId: 'o', pk: ledger.pk, version: 3 });
  expect(outboxEntry(noticeKey('o', 3, 1))).toEqual(outboxEntry(ledger));
  expect(outboxEntry(member)).toBeUndefined();
  const keys = [noticeKey('o', 3, 0), ledger, ledgerEntryKey('o', 4)];
  expect(entriesOf(keys).map(({ version }) => version)).toEqual([3, 4]);
  expect(() => entriesOf([member])).toThrow(/not in the outbox/);
});

test('numbers each once, however often it is given', async () => {
  const outbox = new Outbox();
  const keys = [...(await outbox.lead(3)), ...(await outbox.lead(2))];
  expect(await outbox.number(keys)).toBe(5);
  const before = await expectInOrder(outbox, 5);
  expect(await outbox.number([...keys, ...keys].reverse())).toBe(0);
  expect(await outbox.feed()).toEqual(before);
});

test('keeps the order in which it is given them, of different leads', async () => {
  const outbox = new Outbox();
  const [a, b] = [await outbox.lead(2), await outbox.lead(1)];
  await outbox.number([a[0]!, b[0]!, a[1]!]);
  const leads = (await outbox.feed()).map((one) => 'lead_id' in one && one.lead_id);
  expect([leads[0] === leads[2], leads[0] === leads[1]]).toEqual([true, false]);
});

test.each([
  [1, 0],
  [2, 0],
  [32, 1],
  [32, 2],
  [32, 16],
  [32, 31],
  [100, 0],
  [220, 0],
])(
  'of %i versions of which %i have their numbers, numbers all before the last one first, where that is all it is given',
  async (versions, done) => {
    const outbox = new Outbox();
    const keys = await outbox.lead(versions);
    await outbox.number(keys.slice(0, done));
    expect(await outbox.number(keys.slice(-1))).toBe(versions - done);
    await expectInOrder(outbox, versions);
  },
);

test('does not wait for an entry that is not there, nor numbers one that has gone', async () => {
  const outbox = new Outbox();
  const lead = await outbox.lead(6, { from: 4 });
  const [gone] = await outbox.lead(1);
  await takeAway(gone!);
  expect(await outbox.number([gone!, ...lead])).toBe(3);
  expect((await outbox.feed()).map(({ version }) => version)).toEqual([4, 5, 6]);
});

test('gives an entry and its notices numbers that follow one another', async () => {
  const outbox = new Outbox();
  const first = await outbox.entry(1, 0);
  const second = await outbox.entry(2, 2);
  const third = await outbox.entry(3, 1);
  // By the notice alone, with the entry of before it unnumbered; then by all there is.
  expect(await outbox.number([second[2]!])).toBe(4);
  expect(await outbox.number([...third, ...second, ...first])).toBe(2);
  await expectInOrder(outbox, 6);
  expect(await typesIn(outbox)).toEqual([
    '1 wallet.changed',
    '2 wallet.changed',
    '2 stars.depleted',
    '2 stars.depleted',
    '3 wallet.changed',
    '3 stars.depleted',
  ]);
});

test('does not wait for a notice that is not there: a restore may part it from its entry', async () => {
  const outbox = new Outbox();
  const [first, second] = [await outbox.entry(1, 2), await outbox.entry(2, 0)];
  await takeAway(first[1]!);
  expect(await outbox.number([...first, ...second])).toBe(3);
  expect(await typesIn(outbox)).toEqual([
    '1 wallet.changed',
    '1 stars.depleted',
    '2 wallet.changed',
  ]);
});

test('never parts an entry from its notices, where they are at the end of what fits', async () => {
  const outbox = new Outbox();
  const lead = await outbox.lead(mostAtOnce - 1);
  const wallet = await outbox.entry(1, 1);
  expect(await outbox.number([...lead, ...wallet])).toBe(mostAtOnce + 1);
  await expectInOrder(outbox, mostAtOnce + 1);
});

test(`several at once, each with some of it, give no number twice and leave none out (SEED=${seed})`, async () => {
  const next = random(seed);
  for (let round = 0; round < 3; round++) {
    const outbox = new Outbox();
    const subjects = [];
    for (let i = 0; i < 6; i++) subjects.push(await outbox.lead(1 + Math.floor(next() * 12)));
    subjects.push([...(await outbox.entry(1, 0)), ...(await outbox.entry(2, 1))]);
    // Each shard has its partitions, in their order; some records come twice, some batches again.
    const shards = [subjects.slice(0, 4), subjects.slice(4), subjects.slice(2, 6)];
    const work = shards.map(async (some) => {
      const keys = some.flat();
      for (let i = 0; i < keys.length; ) {
        const batch = keys.slice(i, i + 1 + Math.floor(next() * 8));
        await outbox.number(chance(next, 0.3) ? batch.toReversed() : batch);
        if (chance(next, 0.8)) i += batch.length;
      }
    });
    await Promise.all(work);
    await expectInOrder(outbox, subjects.flat().length);
  }
});

test('what is numbered more than four hours late is marked; what is not so late is not', async () => {
  stopClock();
  const outbox = new Outbox();
  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
  const at = ago(freshnessMs + 1);
  const late = await outbox.lead(1, { at });
  const news = await outbox.lead(1, { at: ago(freshnessMs) });
  // The entry of a hold that expired long ago.
  const writtenNow = await outbox.entry(1, 0, { at, written_at: ago(0) });
  const all = [...late, ...news, ...writtenNow];
  await outbox.number(all);
  const items = await table.getAll(all);
  expect(items.map((item) => item?.late)).toEqual([true, undefined, undefined]);
});

test('a restored table has another feed, numbered from 1', async () => {
  const outbox = new Outbox();
  const keys = await outbox.lead(3);
  await outbox.number(keys);
  const [before] = await outbox.feed();
  const more = await outbox.lead(5, { from: 4, lead: keys[0]!.pk.split('#')[2]! });
  await withVariable('TABLE_IDENTITY', 'arn:of:the:restored/stream/2026', async () => {
    expect(await outbox.feed()).toEqual([]);
    expect(await outbox.number(more)).toBe(5);
    const [first] = await expectInOrder(outbox, 5);
    expect(first!.feed_id).not.toBe(before!.feed_id);
    expect(first).toEqual({ ...before, feed_id: first!.feed_id });
    // The bus was told of what had a number.
    const late = (await table.getAll([...keys, ...more])).map((item) => item?.late);
    expect(late).toEqual([...keys.map(() => true), ...more.map(() => undefined)]);
  });
});

test('says so where the time is up, and goes on from there', async () => {
  stopClock();
  const outbox = new Outbox();
  const keys = await outbox.lead(150);
  await expect(outbox.number(keys, -1)).rejects.toMatchObject({ code: 'timeout' });
  expect(await outbox.feed()).toHaveLength(mostAtOnce);
  // At the deadline itself, time is not up yet.
  expect(await outbox.number(keys, 0)).toBe(150 - mostAtOnce);
  const more = await outbox.lead(150);
  expect(await outbox.number(more, 0)).toBe(150);
  expect(await outbox.feed()).toHaveLength(300);
});
