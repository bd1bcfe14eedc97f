import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { eventId } from '../billing/terms/fields.ts';
import { invalid } from '../errors/errors.ts';
import type { AnyQueueConsumer, Untold } from '../operations/kinds/background.ts';
import { parseInput } from '../schema/issues.ts';
import type { TableClient } from '../table/client.ts';

/** An event as EventBridge puts it into a queue. Only these of its fields matter. */
const busEvent = z.object({
  id: z.string(),
  source: z.optional(z.string()),
  'detail-type': z.string(),
  detail: z.record(z.string(), z.unknown()),
});

/** A message from a queue, as far as it could be read. */
export interface QueueDelivery {
  id: string;
  eventId?: string | undefined;
  organizationId?: string | undefined;
}

/** A message, and whose it is. */
export interface QueueMessage extends QueueDelivery {
  organizationId: string;
  busEventId: string;
  content: unknown;
  fingerprint?: string | undefined;
}

/**
 * A message; or why an event of a partner is none. Throws if it can't be read: what is known of it by then is in the
 * delivery.
 */
export const readMessage = async (
  consumer: AnyQueueConsumer,
  { body }: SQSRecord,
  delivery: QueueDelivery,
  table: TableClient,
): Promise<QueueMessage | Untold> => {
  const event = parseInput(busEvent, parseJson(body));
  const { id: busEventId, source = '', detail, 'detail-type': type } = event;
  const { partner } = consumer;
  const toMessage = (content: unknown, fingerprint?: string): QueueMessage => {
    const organizationId = consumer.organizationOf(content);
    return { ...delivery, organizationId, busEventId, content, fingerprint };
  };
  if (partner && source.startsWith(partner.sourcePrefix)) {
    delivery.eventId = z.safeParse(eventId(), detail.id).data;
    const translation = await partner.translate(detail, table);
    return 'message' in translation
      ? toMessage(translation.message, translation.fingerprint)
      : translation;
  }
  delivery.eventId = z.safeParse(eventId(), detail.event_id).data;
  if (source !== consumer.source) throw invalid('source', `must be ${consumer.source}`);
  if ('type' in detail) throw invalid('type', 'is the detail-type, and not in the detail');
  return toMessage(parseInput(consumer.message, { type, ...detail }));
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw invalid('', 'must be JSON');
  }
};
