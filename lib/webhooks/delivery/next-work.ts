import { type DueIds, dueWrites, firstDue, type NextWork } from '../../consumers/due-times.ts';
import { idOf, type StoredWebhook } from '../stored-webhook.ts';
import { nextDue, type Progress } from './delivery-rules.ts';
import { toProgress } from './progress-item.ts';

/** The consumer's name in wakes and due times. */
export const webhooksConsumer = 'webhooks';

export const dueIdsOf = (organizationId: string, id: string): DueIds => ({
  organizationId,
  consumer: webhooksConsumer,
  id,
});

const nextWorkOf = (progress: Progress, now: number): NextWork =>
  progress.status === 'disabled' ? 'never' : nextDue(progress, now);

/** When the worker has to look at a webhook next, and the writes that say so. Undefined if that is stored already. */
export const webhookDueWrites = (
  organizationId: string,
  item: StoredWebhook,
  progress: Progress,
  now: number,
) => dueWrites(dueIdsOf(organizationId, idOf(item)), item, nextWorkOf(progress, now), now);

/** When the worker has to look first at a webhook that its owner makes, or sets active. */
export const firstWebhookDue = (organizationId: string, item: StoredWebhook, now: number) =>
  firstDue(dueIdsOf(organizationId, idOf(item)), item, nextWorkOf(toProgress(item), now), now);
