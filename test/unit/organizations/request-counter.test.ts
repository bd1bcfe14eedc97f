import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addToCounter,
  readCounter,
  setPerSecond,
} from '../../../lib/organizations/request-counter.ts';
import { openTable } from '../../../lib/table/client.ts';
import { requestCounterKey } from '../../../lib/table/keys.ts';
import '../support.ts';

const table = openTable();

test('a request goes on without a counter that can’t be read within half a second', async () => {
  vi.useFakeTimers();
  try {
    let read: unknown;
    const slow = { get: () => new Promise(() => {}) } as never;
    void readCounter(slow, 'o').then((counter) => {
      read = counter;
    });
    await vi.advanceTimersByTimeAsync(499);
    expect(read).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(read).toEqual({ clearAt: 0 });
  } finally {
    vi.useRealTimers();
  }
  const failing = { get: async () => Promise.reject(new Error('unavailable')) } as never;
  expect(await readCounter(failing, 'o')).toEqual({ clearAt: 0 });
});

test('what was worked off long ago counts for nothing, though it was seen as more', async () => {
  const organizationId = randomUUID();
  const Item = { ...requestCounterKey(organizationId), clear_at: 1 };
  await table.transact([{ Put: { Item } }]);
  const now = Date.now();
  await addToCounter(table, organizationId, 5000, { clearAt: now + 60_000 });
  const { clearAt } = await readCounter(table, organizationId);
  expect(clearAt).toBeGreaterThanOrEqual(now + 5000);
  await addToCounter(table, organizationId, 5000, { clearAt });
  expect((await readCounter(table, organizationId)).clearAt).toBe(clearAt + 5000);
});

test('counts that come at once are all counted, whatever each has seen', async () => {
  // A busy machine may need more than the half second that each write has.
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  onTestFinished(() => void vi.restoreAllMocks());
  const organizationId = randomUUID();
  const seen = [{ clearAt: 0 }, { clearAt: Date.now() + 60_000 }];
  const from = Date.now();
  await Promise.all(
    Array.from({ length: 8 }, (_, i) => addToCounter(table, organizationId, 5000, seen[i % 2]!)),
  );
  const { clearAt } = await readCounter(table, organizationId);
  expect(clearAt).toBeGreaterThanOrEqual(from + 40_000);
  expect(clearAt).toBeLessThanOrEqual(Date.now() + 40_000);
});

test('a limit of its own can be taken away, and leaves what was counted', async () => {
  const organizationId = randomUUID();
  await setPerSecond(table, organizationId, 20);
  await addToCounter(table, organizationId, 60_000, { clearAt: 0 });
  const { clearAt, perSecond } = await readCounter(table, organizationId);
  expect(perSecond).toBe(20);
  await setPerSecond(table, organizationId, undefined);
  expect(await readCounter(table, organizationId)).toEqual({ clearAt, perSecond: undefined });
});
