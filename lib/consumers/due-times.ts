import * as z from 'zod/mini';
import type { Wakes } from '../queues/wakes.ts';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import type { Item, Table, Write } from '../table/table.ts';
import { put, remove } from '../table/write.ts';
import type { Follower } from './follower.ts';

/** How often the scheduled task looks for followers that are due. */
export const dueCheckIntervalMs = 5 * 60 * 1000;

/** Milliseconds after which the schedule wakes the worker for an idle follower: its wake may be lost. */
const idleLookMs = 60 * 60 * 1000;

export const dueKind = new Kind(places.due, {
  holds: 'when each follower of a feed is to be looked at next',
  attributes: z.object({ due_at: z.number() }),
});

/** A follower's name among due times. */
export interface DueIds {
  organizationId: string;
  consumer: string;
  id: string;
}

/** When a follower has something to do next: at a time, when a change comes (undefined), or never. */
export type NextWork = number | undefined | 'never';

/**
 * When a worker has to look next, and the writes that say so. Undefined if that is stored already. `at` is undefined if
 * there is nothing to look for.
 */
export const dueWrites = (
  ids: DueIds,
  { due_at: before }: Pick<Follower, 'due_at'>,
  next: NextWork,
  now: number,
): { at: number | undefined; writes: Write<'PutItem' | 'DeleteItem'>[] } | undefined => {
  const at = dueAfter(next, before, now);
  if (at === before) return undefined;
  const key = dueKind.key(ids);
  return { at, writes: [at === undefined ? remove(key) : put(key, { due_at: at })] };
};

/**
 * What is set and written where a follower is made or goes on: it has to be due before a worker looks at it, as the first
 * wake may be lost. A follower that was stopped may be due only a day later.
 */
export const firstDue = (
  ids: DueIds,
  { due_at: before = Number.POSITIVE_INFINITY }: Pick<Follower, 'due_at'>,
  next: NextWork,
  now: number,
): { set: { due_at?: number }; writes: Write<'PutItem'>[] } => {
  const due_at = dueAfter(next, undefined, now);
  if (due_at === undefined || before <= due_at) return { set: {}, writes: [] };
  return { set: { due_at }, writes: [put(dueKind.key(ids), { due_at })] };
};

const dueAfter = (next: NextWork, before: number | undefined, now: number): number | undefined => {
  if (next === 'never') return undefined;
  if (next !== undefined) return next;
  // Moved seldom, as each move is a write.
  const soonEnough =
    before !== undefined && before > now + idleLookMs / 2 && before <= now + idleLookMs;
  return soonEnough ? before : now + idleLookMs;
};

/** How many wakes are sent at the same time. */
const wakesAtOnce = 10;

/** Sends a wake for each follower, of all organizations, that is due before the next check. It comes when that is due. */
export const wakeDueFollowers = async (
  table: Table<'Query'>,
  wakes: Wakes,
  now: number,
): Promise<void> => {
  let startAfter: Item | undefined;
  do {
    const { items, last } = await table.query({
      kind: dueKind,
      condition: 'pk = :pk',
      filter: 'due_at <= :until',
      values: { ':pk': dueKind.partition({}), ':until': now + dueCheckIntervalMs },
      limit: 10_000,
      startAfter,
    });
    for (let i = 0; i < items.length; i += wakesAtOnce) {
      await Promise.all(
        items.slice(i, i + wakesAtOnce).map((item) => {
          const { organizationId: organization_id, ...which } = dueKind.idsOf(item);
          return wakes.send({ organization_id, ...which }, item.due_at - now);
        }),
      );
    }
    startAfter = last;
  } while (startAfter);
};
