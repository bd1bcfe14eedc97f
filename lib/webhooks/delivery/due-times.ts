import * as z from 'zod/mini';
import type { Wakes } from '../../operations/wakes.ts';
import { places } from '../../table/keys.ts';
import { Kind } from '../../table/kind.ts';
import type { Item, Table, Write } from '../../table/table.ts';
import { put, remove } from '../../table/write.ts';
import { idOf, type StoredWebhook } from '../stored-webhook.ts';
import { nextDue, type Progress } from './delivery-rules.ts';
import { toProgress } from './progress-item.ts';

/** How often the scheduled task looks for webhooks that are due. */
export const dueCheckIntervalMs = 5 * 60 * 1000;

/** Milliseconds after which the schedule wakes the worker for an idle webhook: its wake may be lost. */
const idleLookMs = 60 * 60 * 1000;

export const dueKind = new Kind(places.due, {
  holds: 'when each webhook is to be looked at next',
  attributes: z.object({ due_at: z.number() }),
});

const keyOf = (organizationId: string, item: StoredWebhook) =>
  dueKind.key({ organizationId, webhookId: idOf(item) });

/**
 * When the worker has to look at a webhook next, and the writes that say so. Undefined if that is stored
 * already. `at` is undefined if there is nothing to look for.
 */
export const dueWrites = (
  organizationId: string,
  item: StoredWebhook,
  progress: Progress,
  now: number,
): { at: number | undefined; writes: Write<'PutItem' | 'DeleteItem'>[] } | undefined => {
  const before = item.due_at;
  const at = dueAfter(progress, before, now);
  if (at === before) return undefined;
  const key = keyOf(organizationId, item);
  return { at, writes: [at === undefined ? remove(key) : put(key, { due_at: at })] };
};

/**
 * What is set and written where its owner makes a webhook, or sets it active: it has to be due before a worker looks at it,
 * as the first wake may be lost. One that was paused may be due a day later only.
 */
export const firstDue = (
  organizationId: string,
  item: StoredWebhook,
  now: number,
): { set: { due_at?: number }; writes: Write<'PutItem'>[] } => {
  const before = item.due_at ?? Number.POSITIVE_INFINITY;
  const due_at = dueAfter(toProgress(item), undefined, now);
  if (due_at === undefined || before <= due_at) return { set: {}, writes: [] };
  return { set: { due_at }, writes: [put(keyOf(organizationId, item), { due_at })] };
};

const dueAfter = (
  progress: Progress,
  before: number | undefined,
  now: number,
): number | undefined => {
  if (progress.status === 'disabled') return undefined;
  const next = nextDue(progress, now);
  if (next !== undefined) return next;
  // Moved seldom, as each move is a write.
  const soonEnough =
    before !== undefined && before > now + idleLookMs / 2 && before <= now + idleLookMs;
  return soonEnough ? before : now + idleLookMs;
};

/** How many wakes are sent at the same time. */
const wakesAtOnce = 10;

/** Sends a wake for each webhook, of all organizations, that is due before the next check. It comes when the webhook is due. */
export const wakeDueWebhooks = async (
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
          const { organizationId: organization_id, webhookId: webhook_id } = dueKind.idsOf(item);
          return wakes.send({ organization_id, webhook_id }, item.due_at - now);
        }),
      );
    }
    startAfter = last;
  } while (startAfter);
};
