import { feedIdOf, readHead } from '../../changes/feed.ts';
import type { Wake, Wakes } from '../../operations/wakes.ts';
import { ConflictError } from '../../table/retry.ts';
import { idOf, readWebhook, readWebhooks, type StoredWebhook } from '../stored-webhook.ts';
import { updateWebhookWrites } from '../writes.ts';
import { dueWorkOf, newProgress } from './delivery-rules.ts';
import { DeliverySession, type SessionContext } from './delivery-session.ts';
import { dueCheckIntervalMs, dueWrites } from './due-times.ts';
import { toProgress } from './progress-item.ts';

/** Milliseconds after which the worker looks again: a change may have its number and not be readable yet. */
const indexLagMs = 1000;
/** Milliseconds by which a wake may come early: clocks of functions differ. */
const earlyByMs = 4000;

export interface WorkerContext extends SessionContext {
  wakes: Wakes;
}

/**
 * Looks at the webhooks that a wake names, side by side, and delivers what there is. If another worker has a
 * webhook, it is left to that worker, which looks again before it ends. But if the queue redelivers the
 * wake, that worker may have died: then the wake is put back until the lease has ended.
 */
export const deliver = async (
  context: WorkerContext,
  { organization_id, webhook_id }: Wake,
  isRedelivered: boolean,
): Promise<void> => {
  const items = webhook_id
    ? [await readWebhook(context.table, organization_id, webhook_id)]
    : await readWebhooks(context.table, organization_id);
  const results = await Promise.allSettled(
    items.map((item) => item && deliverOne(context, organization_id, item, isRedelivered)),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
};

const deliverOne = async (
  context: WorkerContext,
  organizationId: string,
  item: StoredWebhook,
  isRedelivered: boolean,
): Promise<void> => {
  const { table, wakes, now } = context;
  const wake = { organization_id: organizationId, webhook_id: idOf(item) };
  const lease = (item.lease_until ?? 0) - now();
  if (lease > 0) {
    if (isRedelivered) await wakes.send(wake, lease + indexLagMs);
    return;
  }
  try {
    if (item.feed_id !== feedIdOf(organizationId)) {
      return await stopInOtherFeed(context, organizationId, item);
    }
    const idle = !hasWork(item, await readHead(table, organizationId), now());
    if (idle && !dueWrites(organizationId, item, toProgress(item), now())) {
      return await wakeWhenDue(context, wake, item, item);
    }
    await new DeliverySession(context, organizationId, item).work();
    await wakeAgain(context, wake, item);
  } catch (error) {
    // Another worker was sooner, or the owner has changed the webhook: both send a wake.
    if (!(error instanceof ConflictError)) throw error;
  }
};

/** Whether there is something to post now. `head` is the number of the feed's last change. */
const hasWork = (item: StoredWebhook, head: number, now: number): boolean => {
  const progress = toProgress(item);
  const work = dueWorkOf(progress, now);
  if (Object.keys(item.tests).length > 0) return true;
  if (work.kind === 'nothing') return false;
  const isNew = head > progress.checkpoint;
  return work.kind === 'all' ? isNew || work.due.length > 0 : isNew || progress.waiting.length > 0;
};

/**
 * Looks again once the lease is given back: a wake that came meanwhile was left to this worker. What became
 * due soon gets a wake of its own; what is due later is looked for by the schedule.
 */
const wakeAgain = async (
  { table, wakes, now }: WorkerContext,
  wake: Wake,
  before: StoredWebhook,
): Promise<void> => {
  const [item, head] = await Promise.all([
    readWebhook(table, wake.organization_id, idOf(before)),
    readHead(table, wake.organization_id),
  ]);
  if (!item) return;
  if (hasWork(item, head, now())) {
    return wakes.send(wake, item.checkpoint === before.checkpoint ? indexLagMs : 0);
  }
  await wakeWhenDue({ wakes, now }, wake, item, before);
};

/**
 * Sends the wake for the next time. Where that time has not changed, its wake was sent before. But it may be the one that
 * came now: too early, by a clock that is ahead of ours.
 */
const wakeWhenDue = async (
  { wakes, now }: Pick<WorkerContext, 'wakes' | 'now'>,
  wake: Wake,
  { due_at = Number.POSITIVE_INFINITY }: StoredWebhook,
  before: StoredWebhook,
): Promise<void> => {
  const wait = due_at - now();
  const isSoon =
    due_at === before.due_at ? wait > 0 && wait <= earlyByMs : wait < dueCheckIntervalMs;
  if (isSoon) await wakes.send(wake, wait);
};

/**
 * Disables a webhook of another feed: in a table that was restored, numbers may mean other changes. To post all of them
 * again may be wrong, and so may be to leave some out. So the webhook is disabled until its owner says where to go on.
 */
const stopInOtherFeed = async (
  { table, now }: WorkerContext,
  organizationId: string,
  item: StoredWebhook,
): Promise<void> => {
  const progress = { ...newProgress(0), status: 'disabled' as const };
  const set = { feed_id: feedIdOf(organizationId) };
  await table.transact(updateWebhookWrites(organizationId, item, { set, progress, now: now() }));
};
