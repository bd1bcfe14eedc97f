import { describe, expect, test } from 'vitest';
import type { QueryInput } from '../../../../lib/table/table.ts';
import { newProgress, type Progress } from '../../../../lib/webhooks/delivery/delivery-rules.ts';
import {
  dueCheckIntervalMs,
  dueWrites,
  wakeDueWebhooks,
} from '../../../../lib/webhooks/delivery/due-times.ts';

const now = Date.parse('2026-11-22T00:00:00Z');
const minute = 60_000;
const item = (due_at?: number) => ({ pk: 'ORG#o', sk: 'WEBHOOK#w', due_at });
const key = { pk: 'DUE', sk: 'o#w' };
const put = (due_at: number) => ({
  at: due_at,
  writes: [{ Put: { Item: { ...key, due_at } } }],
});

describe('when a webhook is to be looked at next', () => {
  const idle = newProgress(0);
  const waiting: Progress = { ...idle, waiting: [{ sequence: 1, attempts: 1, due: now + minute }] };
  const disabled: Progress = { ...idle, status: 'disabled' };

  test.each([
    ['when what waits is due', undefined, waiting, put(now + minute)],
    ['that is written already', now + minute, waiting, undefined],
    [
      'in an hour, where nothing waits: its wake may have been lost',
      undefined,
      idle,
      put(now + 60 * minute),
    ],
    [
      'not moved while it is more than half an hour away: each move is a write',
      now + 31 * minute,
      idle,
      undefined,
    ],
    ['moved when it is nearer', now + 30 * minute, idle, put(now + 60 * minute)],
    [
      'moved when it is later, as what waited then is delivered',
      now + 61 * minute,
      idle,
      put(now + 60 * minute),
    ],
    [
      'never, where it is disabled',
      now + minute,
      disabled,
      { at: undefined, writes: [{ Delete: { Key: key } }] },
    ],
    ['never, as it is written already', undefined, disabled, undefined],
  ])('%s', (_what, before, progress, expected) => {
    expect(dueWrites('o', item(before), progress, now)).toEqual(expected);
  });
});

test('all that is due before the next look is woken when it is due, page after page', async () => {
  const due = (sk: string, due_at: number) => ({ pk: 'DUE', sk, due_at });
  const pages = [
    { items: [due('o#a', now - minute)], examined: 1, last: due('o#a', 0) },
    { items: [due('o#b', now + minute), due('p#c', now)], examined: 2, last: undefined },
  ];
  const asked: QueryInput<'Query'>[] = [];
  const query = async (input: QueryInput<'Query'>) => {
    asked.push(input);
    return pages[asked.length - 1]!;
  };
  const sent: unknown[] = [];
  const send = async (wake: object, delay?: number) => void sent.push([wake, delay]);
  await wakeDueWebhooks({ query }, { send }, now);
  expect(sent).toEqual([
    [{ organization_id: 'o', webhook_id: 'a' }, -minute],
    [{ organization_id: 'o', webhook_id: 'b' }, minute],
    [{ organization_id: 'p', webhook_id: 'c' }, 0],
  ]);
  expect(asked.map(({ values }) => values[':until'])).toEqual([
    now + dueCheckIntervalMs,
    now + dueCheckIntervalMs,
  ]);
  expect(asked[1]).toMatchObject({ startAfter: { sk: 'o#a' } });
});
