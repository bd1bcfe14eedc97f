import { v7 } from 'uuid';
import * as z from 'zod/mini';
import { changeTypes } from '../../changes/change.ts';
import { uuidPattern } from '../../schema/cursor.ts';
import { places } from '../../table/keys.ts';
import { type ItemOf, Kind } from '../../table/kind.ts';
import type { PartitionList } from '../../table/pages.ts';
import type { Write } from '../../table/table.ts';
import { put } from '../../table/write.ts';
import { failures } from '../endpoint/endpoint.ts';
import type { WebhookMessage } from '../endpoint/message.ts';
import { testType } from '../endpoint/test-message.ts';

/** Seconds for which the log of an attempt is kept. */
const deliveryTtlSeconds = 30 * 24 * 60 * 60;

/** One attempt to deliver one change: numbers and ids, nothing of the content of request or response. */
export const delivery = z
  .strictObject({
    id: z.uuid(),
    event_id: z.uuid().check(z.describe('Of the change; also the message’s `webhook-id`.')),
    type: z.enum([...changeTypes, testType]),
    sequence: z
      .nullable(z.int().check(z.gte(1)))
      .check(z.describe('Of the change in the feed; `null` of a test.')),
    attempt: z
      .int()
      .check(z.gte(1), z.describe('1 for the first; while a webhook is paused it stays the same.')),
    outcome: z
      .enum(['delivered', 'failed', 'given_up'])
      .check(
        z.describe(
          '`given_up`: it failed, and is not tried again. Without `status` and `error`: it was given up to make room, with no further attempt.',
        ),
      ),
    status: z
      .nullable(z.int().check(z.gte(100), z.lte(999)))
      .check(z.describe('The answer’s HTTP status; `null` where there was none.')),
    error: z.nullable(z.enum(failures)).check(z.describe('Why there was no answer.')),
    duration_ms: z.int().check(z.nonnegative()),
    at: z.iso.datetime().check(z.describe('When it started.')),
  })
  .check(z.meta({ id: 'WebhookDelivery' }));
export type Delivery = z.output<typeof delivery>;

const { id: _id, ...stored } = delivery.shape;

export const deliveryKind = new Kind(places.delivery, {
  holds: 'the attempts of a webhook, newest first',
  attributes: z.object({
    ...stored,
    /** Absent of a test: the feed's index takes nothing but numbers under this name. */
    sequence: z.optional(z.int()),
    expires_at: z.int(),
  }),
});

/** A change that was given up between its attempts; `attempt` is how many there were. */
export const toEvictionDelivery = (
  { id, type, sequence }: Pick<WebhookMessage, 'id' | 'type' | 'sequence'>,
  attempts: number,
  now: number,
): Delivery => ({
  id: v7({ msecs: now }),
  event_id: id,
  type,
  sequence,
  attempt: Math.max(1, attempts),
  outcome: 'given_up',
  status: null,
  error: null,
  duration_ms: 0,
  at: new Date(now).toISOString(),
});

export const putDelivery = (
  organizationId: string,
  webhookId: string,
  { id: deliveryId, ...entry }: Delivery,
): Write<'PutItem'> =>
  put(deliveryKind.key({ organizationId, webhookId, deliveryId }), {
    ...entry,
    sequence: entry.sequence ?? undefined,
    expires_at: Math.floor(Date.parse(entry.at) / 1000) + deliveryTtlSeconds,
  });

/**
 * The attempts of a webhook, newest first, without expired attempts that DynamoDB has not deleted yet. `now` in
 * milliseconds since the epoch.
 */
export const deliveriesOf = (
  organizationId: string,
  webhookId: string,
  now: number,
): Omit<PartitionList<StoredDelivery, Delivery>, 'identity'> => ({
  kind: deliveryKind,
  pk: deliveryKind.partition({ organizationId, webhookId }),
  pattern: uuidPattern,
  newestFirst: true,
  isPast: ({ expires_at }) => expires_at <= Math.floor(now / 1000),
  toItem: toDelivery,
});

type StoredDelivery = ItemOf<typeof deliveryKind>;

const toDelivery = (item: StoredDelivery): Delivery => {
  const { sk: id, event_id, type, attempt, outcome, status, error, duration_ms, at } = item;
  const sequence = item.sequence ?? null;
  return { id, event_id, type, sequence, attempt, outcome, status, error, duration_ms, at };
};
