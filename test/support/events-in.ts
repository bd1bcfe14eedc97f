import { randomUUID } from 'node:crypto';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { inject } from 'vitest';
import { invoke, type Organization } from './organization.ts';
import type { stripeEvent } from './stripe-events.ts';

const service = inject('service');

export const events = new EventBridgeClient({
  endpoint: service.eventsEndpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

export type Detail = Record<string, unknown> & { type: string };

/** A detail of an organization, with an event_id of its own unless it has one. */
export const detailOf = ({ id }: Pick<Organization, 'id'>, { type: _, ...detail }: Detail) => ({
  event_id: randomUUID(),
  organization_id: id,
  ...detail,
});

/** Puts events on the bus with the real client, and returns what it answered. */
export const putEvents = (
  organization: Pick<Organization, 'id'>,
  details: readonly Detail[],
  fields: object = {},
) =>
  events.send(
    new PutEventsCommand({
      Entries: details.map((detail) => ({
        EventBusName: service.eventBusName,
        Source: 'billing',
        DetailType: detail.type,
        Detail: JSON.stringify(detailOf(organization, detail)),
        ...fields,
      })),
    }),
  );

/**
 * Invokes the function as its queue does, with a batch of bodies; answers which of them failed. `attributes` are what the
 * queue tells of each message.
 */
export const deliver = async (
  bodies: readonly string[],
  attributes?: object,
): Promise<number[]> => {
  const Records = bodies.map((body, i) => ({ messageId: String(i), body, attributes }));
  const { failed, payload } = await invoke('applyWalletEvents', { Records });
  if (failed) throw new Error(`the whole batch failed: ${JSON.stringify(payload)}`);
  return payload.batchItemFailures.map((one: { itemIdentifier: string }) =>
    Number(one.itemIdentifier),
  );
};

const bodyFrom = (source: string, type: string, detail: object): string =>
  JSON.stringify({ version: '0', id: randomUUID(), source, 'detail-type': type, detail });

/** What EventBridge puts into the queue for an event. */
export const bodyOf = (organization: Pick<Organization, 'id'>, detail: Detail): string =>
  bodyFrom('billing', detail.type, detailOf(organization, detail));

/** What EventBridge puts into the queue for an event of Stripe. */
export const stripeBodyOf = (event: ReturnType<typeof stripeEvent>): string =>
  bodyFrom(service.stripeBusName, event.type, event);
