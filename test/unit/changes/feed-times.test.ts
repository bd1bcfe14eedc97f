import { beforeAll, expect, test } from 'vitest';
import { readFeed, seekFeed } from '../../../lib/changes/feed.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { withVariable } from '../support.ts';
import { Outbox, table, upTo } from './outbox.ts';

const second = 1000;
const begin = Date.parse('2026-11-26T09:00:00.000Z');
const outbox = new Outbox();

/**
 * When each change was made, and came into the feed, in seconds: the third came late, and the fourth nearly so; the last was made
 * by a clock that is ahead.
 */
const times: [made: number, came: number][] = [
  [0, 1],
  [10, 11],
  [2, 60],
  [51, 61],
  [70, 71],
  [83, 80],
];

const keys: Key[] = [];

beforeAll(async () => {
  for (const [made] of times) {
    keys.push(...(await outbox.lead(1, { at: new Date(begin + made * second).toISOString() })));
  }
  await outbox.number(keys);
  for (const [i, [, came]] of times.entries()) {
    const { pk, sk } = keys[i]!;
    await table.transact([
      {
        Update: {
          Key: { pk, sk },
          UpdateExpression: 'SET numbered_at = :at',
          ExpressionAttributeValues: { ':at': begin + came * second },
        },
      },
    ]);
  }
});

/** The numbers of changes from and to so many seconds, read in pages of this size. */
const between = async (from: number | undefined, to: number | undefined, limit = 50) => {
  const at = (seconds: number | undefined) =>
    seconds === undefined ? undefined : begin + seconds * second;
  const found: number[] = [];
  let after = from === undefined ? 0 : await seekFeed(table, outbox.id, at(from)!, times.length);
  for (let hasMore = true; hasMore; ) {
    const query = { after, limit, from: at(from), to: at(to) };
    const page = await readFeed(table, outbox.id, query);
    found.push(...page.items.map(({ change }) => change.sequence));
    after = page.lastSequence;
    hasMore = page.hasMore;
  }
  return found;
};

test.each([
  [undefined, undefined, [1, 2, 3, 4, 5, 6]],
  [undefined, 10, [1]],
  [undefined, 10.001, [1, 2]],
  [2, 60, [2, 4]],
  [60, 60.001, [3]],
  [51, 70, [3, 4]],
  [51.001, 70.001, [3, 5]],
  [70.001, undefined, [6]],
  [80.001, undefined, []],
])(
  'from %s to %s seconds, the feed has %j: what came late counts by when it came',
  async (from, to, numbers) => {
    for (const limit of [1, 2, 50]) expect(await between(from, to, limit)).toEqual(numbers);
  },
);

test('intervals that follow one another have each change once', async () => {
  for (const width of [1, 7, 30]) {
    const found: number[] = [];
    for (let from = 0; from < 90; from += width) found.push(...(await between(from, from + width)));
    expect(found.toSorted()).toEqual(upTo(times.length));
  }
});

test('a search by time ends before the first change that came then or later', async () => {
  const seek = (seconds: number) =>
    seekFeed(table, outbox.id, begin + seconds * second, times.length);
  expect(await Promise.all([0, 1, 1.001, 60, 61, 71, 71.001].map(seek))).toEqual([
    0, 0, 1, 2, 3, 4, 5,
  ]);
});

test('a table that was restored has each change at the time that it had before, and new ones after them', async () => {
  await withVariable('TABLE_IDENTITY', 'arn:of:the:restored/stream/2026', async () => {
    const added = await outbox.lead(1);
    await outbox.number([...keys, ...added]);
    expect(await between(60, 60.001)).toEqual([3]);
    expect(await between(2, 60)).toEqual([2, 4]);
    expect(await between(80, undefined)).toEqual([times.length, times.length + 1]);
  });
});
