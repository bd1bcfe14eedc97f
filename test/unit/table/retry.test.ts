import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import type { ApiError } from '../../../lib/errors/errors.ts';
import { openTable } from '../../../lib/table/client.ts';
import { ConflictError, retry } from '../../../lib/table/retry.ts';
import { withSteps } from '../support.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('waits grow, and the last one fits into the time that is left', async () => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.9);
  const begun = Date.now();
  const times: number[] = [];
  const attempt = async () => {
    times.push(Date.now() - begun);
    throw new ConflictError();
  };
  const ended = retry({ deadline: begun + 1000 }, attempt, () => true).catch((error) => error);
  await vi.runAllTimersAsync();
  expect(((await ended) as ApiError).code).toBe('write_conflict');
  // 45, 90, 180, 360 and not 720, but nine tenths of what is left.
  expect(times).toEqual([0, 45, 135, 315, 675, 967]);
});

test.each([
  [50, 2],
  [49, 1],
])('with %i ms left it is attempted %i times', async (left, attempts) => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.9);
  let count = 0;
  const attempt = async () => {
    count++;
    throw new ConflictError();
  };
  const ended = retry({ deadline: Date.now() + left }, attempt, () => true).catch(() => {});
  await vi.runAllTimersAsync();
  await ended;
  expect(count).toBe(attempts);
});

test.each([
  ['met another', 'conflict', {}, 2, undefined],
  ['met another', 'conflict', { retryThrottles: false }, 2, undefined],
  ['met another', 'conflict', { retryConflicts: false }, 1, 'write_conflict'],
  ['was throttled', 'throttled', {}, 2, undefined],
  ['was throttled', 'throttled', { retryConflicts: false }, 2, undefined],
  ['was throttled', 'throttled', { retryThrottles: false }, 1, 'unavailable'],
] as const)(
  'a transaction that %s (%s), with %o, is sent %i times',
  async (_what, failure, options, sent, code) => {
    const key = { pk: randomUUID(), sk: 's' };
    await withSteps([], async (proxy) => {
      const watched = proxy.watch([key.pk]);
      watched.plan({ name: 'once', strike: (k) => (k === 1 ? failure : undefined) });
      const told = openTable()
        .transact([{ Put: { Item: key } }], options)
        .catch((error) => error);
      const error = await told;
      expect(error?.code).toBe(code);
      expect(error instanceof ConflictError).toBe(code === 'write_conflict');
      expect(watched.requests).toHaveLength(sent);
    });
  },
);
