import { describe, expect, test } from 'vitest';
import {
  dueCheckIntervalMs,
  dueWrites,
  firstDue,
  wakeDueFollowers,
} from '../../../lib/consumers/due-times.ts';
import type { QueryInput } from '../../../lib/table/table.ts';
import { fakeQueries } from '../../support/fake-table.ts';

const now = Date.parse('2026-11-22T00:00:00Z');
const minute = 60_000;

describe('when a follower is to be looked at next', () => {
  const ids = { organizationId: 'o', consumer: 'webhooks', id: 'w' };
  const waits = now + minute;
  /** Due so many minutes from now; no number is none. */
  const dueIn = (minutes: number | undefined) => ({ due_at: minutes && now + minutes * minute });

  // In minutes from now; no number is none.
  test.each([
    ['when what waits is due', undefined, waits, 1],
    ['in an hour, where nothing waits: its wake may have been lost', undefined, undefined, 60],
    ['moved when it is nearer than half an hour', 30, undefined, 60],
    ['moved when it is later, as what waited then is done', 61, undefined, 60],
    ['never, where it is stopped', 1, 'never' as const, undefined],
  ])('%s', (_what, before, next, after) => {
    const due_at = after && now + after * minute;
    const key = { pk: 'DUE', sk: 'o#webhooks#w' };
    const write = due_at ? { Put: { Item: { ...key, due_at } } } : { Delete: { Key: key } };
    expect(dueWrites(ids, dueIn(before), next, now)).toEqual({ at: due_at, writes: [write] });
  });

  test.each([
    ['as it is', 1, waits],
    ['more than half an hour away: each move is a write', 31, undefined],
    ['never', undefined, 'never' as const],
  ])('is not written where it is written already, %s', (_what, before, next) => {
    expect(dueWrites(ids, dueIn(before), next, now)).toBeUndefined();
  });

  test.each([
    ['a new one in an hour', undefined, undefined, 60],
    ['one that goes on at once, though it was due later', 600, now, 0],
    ['not later than it was', 30, undefined, undefined],
    ['not at all, where it is stopped', undefined, 'never' as const, undefined],
  ])('is set first: %s', (_what, before, next, after) => {
    const set = after === undefined ? {} : { due_at: now + after * minute };
    expect(firstDue(ids, dueIn(before), next, now).set).toEqual(set);
  });
});

test('all that is due before the next look is woken when it is due, page after page', async () => {
  const due = (sk: string, due_at: number) => ({ pk: 'DUE', sk, due_at });
  const pages = [
    { items: [due('o#webhooks#a', now - minute)], examined: 1, last: due('o#webhooks#a', 0) },
    {
      items: [due('o#webhooks#b', now + minute), due('p#leads#c', now)],
      examined: 2,
      last: undefined,
    },
  ];
  const asked: QueryInput<'Query'>[] = [];
  const table = fakeQueries((input) => {
    asked.push(input);
    return pages[asked.length - 1]!;
  });
  const sent: unknown[] = [];
  const send = async (wake: object, delay?: number) => void sent.push([wake, delay]);
  await wakeDueFollowers(table, { send }, now);
  expect(sent).toEqual([
    [{ organization_id: 'o', consumer: 'webhooks', id: 'a' }, -minute],
    [{ organization_id: 'o', consumer: 'webhooks', id: 'b' }, minute],
    [{ organization_id: 'p', consumer: 'leads', id: 'c' }, 0],
  ]);
  const until = now + dueCheckIntervalMs;
  expect(asked.map(({ values }) => values[':until'])).toEqual([until, until]);
  expect(asked[1]).toMatchObject({ startAfter: { sk: 'o#webhooks#a' } });
});
