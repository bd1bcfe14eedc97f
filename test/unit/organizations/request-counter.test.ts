import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addToCounter,
  readCounter,
  requestCounterKind,
} from '../../../lib/organizations/request-counter.ts';
import { openTable } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/place.ts';
import { type ItemChange, put } from '../../../lib/table/write.ts';
import { putOrganizationItem } from '../../support/items.ts';
import { limitOrganization, readCountOf } from '../../support/limit.ts';
import '../support.ts';

const table = openTable();

const keyOf = (organizationId: string) => requestCounterKind.key({ organizationId });

test('a counter that can’t be read within half a second is none', async () => {
  vi.useFakeTimers();
  try {
    let read: unknown = 'nothing yet';
    const slow = { get: () => new Promise(() => {}) } as never;
    void readCounter(slow, keyOf('o')).then((counter) => {
      read = counter;
    });
    await vi.advanceTimersByTimeAsync(499);
    expect(read).toBe('nothing yet');
    await vi.advanceTimersByTimeAsync(1);
    expect(read).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
  const failing = { get: async () => Promise.reject(new Error('unavailable')) } as never;
  expect(await readCounter(failing, keyOf('o'))).toBeUndefined();
});

test('what was worked off long ago counts for nothing, though it was seen as more', async () => {
  const organizationId = randomUUID();
  await table.transact([put(keyOf(organizationId), { clear_at: 1 })]);
  const now = Date.now();
  await addToCounter(table, keyOf(organizationId), 5000, { clearAt: now + 60_000 });
  const { clearAt } = await readCountOf(table, organizationId);
  expect(clearAt).toBeGreaterThanOrEqual(now + 5000);
  await addToCounter(table, keyOf(organizationId), 5000, { clearAt });
  expect((await readCountOf(table, organizationId)).clearAt).toBe(clearAt + 5000);
});

test('counts that come at once are all counted, whatever each has seen', async () => {
  // A busy machine may need more than the half second that each write has.
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  onTestFinished(() => void vi.restoreAllMocks());
  const organizationId = randomUUID();
  const seen = [{ clearAt: 0 }, { clearAt: Date.now() + 60_000 }];
  const from = Date.now();
  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      addToCounter(table, keyOf(organizationId), 5000, seen[i % 2]!),
    ),
  );
  const { clearAt } = await readCountOf(table, organizationId);
  expect(clearAt).toBeGreaterThanOrEqual(from + 40_000);
  expect(clearAt).toBeLessThanOrEqual(Date.now() + 40_000);
});

test.each([-1, 0, 1])('what is worked off %i ms from now is counted on once', async (ms) => {
  const organizationId = randomUUID();
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now });
  onTestFinished(() => void vi.useRealTimers());
  for (const seen of [now - 1000, now + 1000]) {
    const key = keyOf(organizationId);
    await table.transact([put(key, { clear_at: now + ms })]);
    await addToCounter(table, keyOf(organizationId), 5000, { clearAt: seen });
    const { clearAt } = await readCountOf(table, organizationId);
    expect(clearAt).toBe(now + Math.max(ms, 0) + 5000);
  }
});

/** A table in which the nth write finds the counter changed by another request, or takes place. */
const refusing = (...outcomes: boolean[]) => {
  const tried: string[] = [];
  const update = async (_key: Key, { add }: ItemChange<{ clear_at: number }>) => {
    tried.push(add ? 'add' : 'begin');
    return outcomes[tried.length - 1] ?? false;
  };
  return { tried, table: { update } as never };
};

test.each([
  ['counted before', 60_000, ['add', 'begin', 'add']],
  ['worked off', 0, ['begin', 'add']],
])('a counter that was seen as %s is tried so often, and then given up', async (_what, ms, all) => {
  const seen = { clearAt: Date.now() + ms };
  for (let last = 1; last <= all.length; last++) {
    const { tried, table } = refusing(...all.map((_, i) => i === last - 1));
    await addToCounter(table, keyOf('o'), 5000, seen);
    expect(tried).toEqual(all.slice(0, last));
  }
  const { tried, table } = refusing();
  await expect(addToCounter(table, keyOf('o'), 5000, seen)).rejects.toThrow('each time');
  expect(tried).toEqual(all);
});

test('a request is counted also where another one begins the counter between its tries', async () => {
  const organizationId = randomUUID();
  let writes = 0;
  const update: typeof table.update = async (...change) => {
    writes++;
    if (writes === 2) await addToCounter(table, keyOf(organizationId), 7000, { clearAt: 0 });
    return table.update(...change);
  };
  const seen = { clearAt: Date.now() + 60_000 };
  const from = Date.now();
  await addToCounter({ update } as never, keyOf(organizationId), 5000, seen);
  const { clearAt } = await readCountOf(table, organizationId);
  expect([writes, clearAt >= from + 12_000]).toEqual([3, true]);
});

test('a limit of its own can be taken away, and leaves what was counted', async () => {
  const organizationId = randomUUID();
  await table.transact([putOrganizationItem(organizationId)]);
  await limitOrganization(table, organizationId, 20);
  await addToCounter(table, keyOf(organizationId), 60_000, { clearAt: 0 });
  const { clearAt, perSecond } = await readCountOf(table, organizationId);
  expect(perSecond).toBe(20);
  await limitOrganization(table, organizationId, undefined);
  expect(await readCountOf(table, organizationId)).toEqual({ clearAt, perSecond: undefined });
});
