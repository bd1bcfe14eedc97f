import { describe, expect, test } from 'vitest';
import type { QueryInput } from '../../../../lib/table/table.ts';
import { newProgress, type Progress } from '../../../../lib/webhooks/delivery/delivery-rules.ts';
import {
  dueCheckIntervalMs,
  dueWrites,
  wakeDueWebhooks,
} from '../../../../lib/webhooks/delivery/due-times.ts';
import { newSecret } from '../../../../lib/webhooks/endpoint/secrets.ts';
import { newWebhook } from '../../../../lib/webhooks/webhook.ts';
import { fakeQueries } from '../../../support/fake-table.ts';

const now = Date.parse('2026-11-22T00:00:00Z');
const minute = 60_000;

describe('when a webhook is to be looked at next', () => {
  const idle = newProgress(0);
  const waiting: Progress = { ...idle, waiting: [{ sequence: 1, attempts: 1, due: now + minute }] };
  const disabled: Progress = { ...idle, status: 'disabled' };

  /** Due so many minutes from now; no number is none. */
  const dueIn = (minutes: number | undefined) => ({
    ...newWebhook('o', 'w', {
      input: { url: 'https://hooks.example.com/' },
      userId: 'u',
      checkpoint: 0,
      feedId: 'f',
      secret: newSecret(now),
      now,
    }),
    due_at: minutes && now + minutes * minute,
  });

  // In minutes from now; no number is none.
  test.each([
    ['when what waits is due', undefined, waiting, 1],
    ['in an hour, where nothing waits: its wake may have been lost', undefined, idle, 60],
    ['moved when it is nearer than half an hour', 30, idle, 60],
    ['moved when it is later, as what waited then is delivered', 61, idle, 60],
    ['never, where it is disabled', 1, disabled, undefined],
  ])('%s', (_what, before, progress, after) => {
    const due_at = after && now + after * minute;
    const key = { pk: 'DUE', sk: 'o#w' };
    const write = due_at ? { Put: { Item: { ...key, due_at } } } : { Delete: { Key: key } };
    expect(dueWrites('o', dueIn(before), progress, now)).toEqual({ at: due_at, writes: [write] });
  });

  test.each([
    ['as it is', 1, waiting],
    ['more than half an hour away: each move is a write', 31, idle],
    ['never', undefined, disabled],
  ])('is not written where it is written already, %s', (_what, before, progress) => {
    expect(dueWrites('o', dueIn(before), progress, now)).toBeUndefined();
  });
});

test('all that is due before the next look is woken when it is due, page after page', async () => {
  const due = (sk: string, due_at: number) => ({ pk: 'DUE', sk, due_at });
  const pages = [
    { items: [due('o#a', now - minute)], examined: 1, last: due('o#a', 0) },
    { items: [due('o#b', now + minute), due('p#c', now)], examined: 2, last: undefined },
  ];
  const asked: QueryInput<'Query'>[] = [];
  const table = fakeQueries((input) => {
    asked.push(input);
    return pages[asked.length - 1]!;
  });
  const sent: unknown[] = [];
  const send = async (wake: object, delay?: number) => void sent.push([wake, delay]);
  await wakeDueWebhooks(table, { send }, now);
  expect(sent).toEqual([
    [{ organization_id: 'o', webhook_id: 'a' }, -minute],
    [{ organization_id: 'o', webhook_id: 'b' }, minute],
    [{ organization_id: 'p', webhook_id: 'c' }, 0],
  ]);
  const until = now + dueCheckIntervalMs;
  expect(asked.map(({ values }) => values[':until'])).toEqual([until, until]);
  expect(asked[1]).toMatchObject({ startAfter: { sk: 'o#a' } });
});
