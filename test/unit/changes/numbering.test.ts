import { describe, expect, test } from 'vitest';
import {
  entriesOf,
  freshnessMs,
  mostAtOnce,
  numberChanges,
} from '../../../lib/changes/numbering.ts';
import {
  type Key,
  ledgerEntryKey,
  memberKey,
  noticeKey,
  outboxEntry,
} from '../../../lib/table/keys.ts';
import { random, seed } from '../../support/random.ts';
import { withVariable } from '../support.ts';
import { Outbox, table, takeAway, upTo } from './outbox.ts';

const number = ({ id }: Outbox, keys: readonly Key[], milliseconds = 20_000) =>
  numberChanges(table.during({ deadline: Date.now() + milliseconds }), id, entriesOf(keys));

const shuffled = <T>(items: readonly T[], next: () => number): T[] =>
  items
    .map((item) => [next(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);

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

describe('the outbox', () => {
  test('says whose an item is, and which entry it belongs to', () => {
    const ledger = ledgerEntryKey('o', 3);
    expect(outboxEntry(ledger)).toEqual({ organizationId: 'o', pk: ledger.pk, version: 3 });
    expect(outboxEntry(noticeKey('o', 3, 1))).toEqual(outboxEntry(ledger));
    expect(outboxEntry(memberKey('o', 'u'))).toBeUndefined();
  });

  test('an entry is one, however many of its items are given', () => {
    const keys = [noticeKey('o', 3, 0), ledgerEntryKey('o', 3), ledgerEntryKey('o', 4)];
    expect(entriesOf(keys).map(({ version }) => version)).toEqual([3, 4]);
    expect(() => entriesOf([memberKey('o', 'u')])).toThrow(/not in the outbox/);
  });
});

test('numbers each once, however often and in whatever batches it is given', async () => {
  const outbox = new Outbox();
  const keys = [...(await outbox.lead(3)), ...(await outbox.lead(2))];
  expect(await number(outbox, keys)).toBe(5);
  const before = await outbox.feed();
  expect(await number(outbox, keys)).toBe(0);
  expect(await number(outbox, [...keys, ...keys].reverse())).toBe(0);
  expect(await outbox.feed()).toEqual(before);
  await expectInOrder(outbox, 5);
});

test('keeps the order in which it is given them, of different leads', async () => {
  const outbox = new Outbox();
  const [a, b] = [await outbox.lead(2), await outbox.lead(1)];
  await number(outbox, [a[0]!, b[0]!, a[1]!]);
  const leads = (await outbox.feed()).map((one) => 'lead_id' in one && one.lead_id);
  expect([leads[0] === leads[2], leads[0] === leads[1]]).toEqual([true, false]);
});

test.each([1, 2, 7, 99, 100, 220])(
  'numbers all %i before the last one first, where that is all it is given',
  async (versions) => {
    const outbox = new Outbox();
    const keys = await outbox.lead(versions);
    expect(await number(outbox, keys.slice(-1))).toBe(versions);
    await expectInOrder(outbox, versions);
  },
);

test('finds where to go on, however many have their numbers', async () => {
  for (const done of [0, 1, 2, 16, 31]) {
    const outbox = new Outbox();
    const keys = await outbox.lead(32);
    await number(outbox, keys.slice(0, done));
    expect(await number(outbox, keys.slice(-1))).toBe(32 - done);
    await expectInOrder(outbox, 32);
  }
});

test('does not wait for an entry that is not there, nor numbers one that has gone', async () => {
  const outbox = new Outbox();
  const lead = await outbox.lead(6, { from: 4 });
  const [gone] = await new Outbox().lead(1);
  const mine = { ...gone!, pk: gone!.pk.replace(/#[^#]+#/, `#${outbox.id}#`) };
  expect(await number(outbox, [mine, ...lead])).toBe(3);
  expect((await outbox.feed()).map(({ version }) => version)).toEqual([4, 5, 6]);
});

test('gives an entry and its notices numbers that follow one another', async () => {
  const outbox = new Outbox();
  const [first, second, third] = [
    await outbox.entry(1, 0),
    await outbox.entry(2, 2),
    await outbox.entry(3, 1),
  ];
  // By the notice alone, with the entry of before it unnumbered; then by all there is.
  expect(await number(outbox, [second[2]!])).toBe(4);
  expect(await number(outbox, [...third, ...second, ...first])).toBe(2);
  const changes = await expectInOrder(outbox, 6);
  expect(changes.map(({ type, version }) => `${version} ${type}`)).toEqual([
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
  const first = await outbox.entry(1, 2);
  const second = await outbox.entry(2, 0);
  await takeAway(first[1]!);
  expect(await number(outbox, [...first, ...second])).toBe(3);
  expect((await outbox.feed()).map(({ type, version }) => `${version} ${type}`)).toEqual([
    '1 wallet.changed',
    '1 stars.depleted',
    '2 wallet.changed',
  ]);
});

test('never parts an entry from its notices, where they are at the end of what fits', async () => {
  const outbox = new Outbox();
  const lead = await outbox.lead(mostAtOnce - 1);
  const wallet = await outbox.entry(1, 1);
  expect(await number(outbox, [...lead, ...wallet])).toBe(mostAtOnce + 1);
  await expectInOrder(outbox, mostAtOnce + 1);
});

test(`two at once, each with some of it, give no number twice and leave none out (SEED=${seed})`, async () => {
  const next = random(seed);
  for (let round = 0; round < 3; round++) {
    const outbox = new Outbox();
    const subjects = await Promise.all([
      ...Array.from({ length: 6 }, () => outbox.lead(1 + Math.floor(next() * 12))),
      (async () => [
        ...(await outbox.entry(1, 0)),
        ...(await outbox.entry(2, 1)),
        ...(await outbox.entry(3, 0)),
      ])(),
    ]);
    const all = subjects.flat();
    // Each shard has its partitions, in their order; some records come twice, some batches again.
    const shards = [subjects.slice(0, 4), subjects.slice(4), subjects.slice(2, 6)].map((some) =>
      some.flat(),
    );
    const work = shards.map(async (keys) => {
      for (let i = 0; i < keys.length; ) {
        const batch = keys.slice(i, i + 1 + Math.floor(next() * 8));
        await number(outbox, next() < 0.3 ? shuffled(batch, next) : batch);
        if (next() < 0.8) i += batch.length;
      }
    });
    await Promise.all(work);
    await expectInOrder(outbox, all.length);
  }
});

test('what is numbered late is marked; what is not so late is not', async () => {
  const outbox = new Outbox();
  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
  const late = await outbox.lead(1, { at: ago(freshnessMs + 5000) });
  const news = await outbox.lead(1, { at: ago(freshnessMs - 60_000) });
  await number(outbox, [...late, ...news]);
  const items = await table.getAll([...late, ...news]);
  expect(items.map((item) => item?.late)).toEqual([true, undefined]);
});

test('the entry of a hold that expired long ago is news, if it was written now', async () => {
  const outbox = new Outbox();
  const at = new Date(Date.now() - 2 * freshnessMs).toISOString();
  const keys = await outbox.entry(1, 0, { at, written_at: new Date().toISOString() });
  await number(outbox, keys);
  expect((await table.getAll(keys)).map((item) => item?.late)).toEqual([undefined]);
});

test('a restored table has another feed, numbered from 1', async () => {
  const outbox = new Outbox();
  const keys = await outbox.lead(3);
  await number(outbox, keys);
  const [before] = await outbox.feed();
  const more = await outbox.lead(5, { from: 4, lead: keys[0]!.pk.split('#')[2]! });
  await withVariable('TABLE_IDENTITY', 'arn:of:the:restored/stream/2026', async () => {
    expect(await outbox.feed()).toEqual([]);
    expect(await number(outbox, more)).toBe(5);
    const [first] = await expectInOrder(outbox, 5);
    expect(first!.feed_id).not.toBe(before!.feed_id);
    expect(first).toEqual({ ...before, feed_id: first!.feed_id });
  });
  expect(await number(outbox, [])).toBe(0);
});

test('says so where the time is up, and goes on from there', async () => {
  const outbox = new Outbox();
  const keys = await outbox.lead(150);
  await expect(number(outbox, keys, -1)).rejects.toMatchObject({ code: 'timeout' });
  expect((await outbox.sequences()).length).toBe(mostAtOnce);
  expect(await number(outbox, keys)).toBe(150 - mostAtOnce);
  await expectInOrder(outbox, 150);
});
