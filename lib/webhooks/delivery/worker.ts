import { feedIdOf, readHead } from '../../changes/feed.ts';
import { type Consumer, type ConsumerContext, follow } from '../../consumers/consumer.ts';
import { ofTime } from '../../facts/origin.ts';
import { commitTo } from '../../facts/transaction.ts';
import { isSuspended } from '../../organizations/suspension.ts';
import type { Wake } from '../../queues/wakes.ts';
import { idOf, readWebhook, readWebhooks, type StoredWebhook } from '../stored-webhook.ts';
import { updateWebhookWrites } from '../writes.ts';
import { dueWorkOf, newProgress } from './delivery-rules.ts';
import { DeliverySession, type SessionContext } from './delivery-session.ts';
import { webhookDueWrites, webhooksConsumer } from './next-work.ts';
import { toProgress } from './progress-item.ts';

export type WorkerContext = SessionContext & ConsumerContext;

/** Webhooks follow the feed: each posts what there is. */
const webhooks: Consumer<StoredWebhook, WorkerContext> = {
  name: webhooksConsumer,

  /** None while the organization is suspended: its webhooks stay due, and the fact that it is back wakes them. */
  async find({ table }, organizationId, id) {
    const [waits, items] = await Promise.all([
      isSuspended(table, organizationId),
      id === undefined
        ? readWebhooks(table, organizationId)
        : readWebhook(table, organizationId, id).then((item) => (item ? [item] : [])),
    ]);
    return waits ? [] : items;
  },

  idOf,

  readHead: ({ table }, organizationId) => readHead(table, organizationId),

  hasWork(item, head, now) {
    const progress = toProgress(item);
    const work = dueWorkOf(progress, now);
    if (Object.keys(item.tests).length > 0) return true;
    if (work.kind === 'nothing') return false;
    const isNew = head > progress.checkpoint;
    return work.kind === 'all'
      ? isNew || work.due.length > 0
      : isNew || progress.waiting.length > 0;
  },

  isDueElse: (organizationId, item, now) =>
    webhookDueWrites(organizationId, item, toProgress(item), now) !== undefined,

  work: (context, organizationId, item) =>
    new DeliverySession(context, organizationId, item).work(),

  /**
   * To post all changes again may be wrong, and so may be to leave some out. So the webhook is disabled until its owner
   * says where to go on.
   */
  async meetOtherFeed({ table, now }, organizationId, item) {
    const progress = { ...newProgress(0), status: 'disabled' as const };
    const set = { feed_id: feedIdOf(organizationId) };
    const update = { type: 'webhook.disabled' as const, set, progress, now: now() };
    await commitTo(table, ofTime)(updateWebhookWrites(organizationId, item, update));
  },
};

/** Looks at the webhooks that a wake names, and delivers what there is. */
export const deliver = (
  context: WorkerContext,
  wake: Wake,
  isRedelivered: boolean,
): Promise<void> => follow(webhooks, context, wake, isRedelivered);
