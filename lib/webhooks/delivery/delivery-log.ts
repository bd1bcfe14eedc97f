import { v7 } from 'uuid';
import * as z from 'zod/mini';
import { changeTypes } from '../../changes/change.ts';
import { uuidPattern } from '../../schema/cursor.ts';
import { orderFields } from '../../table/field-order.ts';
import { deliveryKey } from '../../table/keys.ts';
import type { PartitionList } from '../../table/pages.ts';
import type { Write } from '../../table/table.ts';
import { failures } from '../endpoint/endpoint.ts';
import type { Message } from '../endpoint/message.ts';
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

/** The log of a change that was given up between its attempts, of which `attempts` were made. */
export const toEvictionDelivery = (
  { id, type, sequence }: Pick<Message, 'id' | 'type' | 'sequence'>,
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
  { id, sequence, ...entry }: Delivery,
): Write<'PutItem'> => ({
  Put: {
    Item: {
      ...deliveryKey(organizationId, webhookId, id),
      ...entry,
      // The feed's index takes nothing but numbers under this name.
      ...(sequence !== null && { sequence }),
      expires_at: Math.floor(Date.parse(entry.at) / 1000) + deliveryTtlSeconds,
    },
  },
});

/**
 * The attempts of a webhook, newest first, also where DynamoDB deletes expired ones late. `now` in milliseconds since the
 * epoch.
 */
export const deliveriesOf = (
  organizationId: string,
  webhookId: string,
  now: number,
): Omit<PartitionList<Delivery>, 'identity'> => ({
  pk: deliveryKey(organizationId, webhookId, '').pk,
  pattern: uuidPattern,
  newestFirst: true,
  isPast: ({ expires_at }) => Number(expires_at) <= Math.floor(now / 1000),
  toItem: (item) => orderFields(delivery, { sequence: null, ...item, id: item.sk }),
});
