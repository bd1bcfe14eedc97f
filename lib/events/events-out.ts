import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { v5 } from 'uuid';
import * as z from 'zod/mini';
import { historyEntry, toHistoryEntry } from '../leads/history.ts';
import { type Key, outbox } from '../table/keys.ts';
import type { Item } from '../table/table.ts';

/** Who sends the events, as rules on the bus name it. */
export const eventSource = 'leads-and-stars';

const common = {
  /** The same in every repeat of the event, and in no other event. */
  event_id: z.uuid(),
  at: z.iso.datetime(),
  organization_id: z.uuid(),
  /** Of the lead or the wallet after this change: numbered without gaps. */
  version: z.int(),
};

/** A lead was created, updated or deleted. */
export const leadEvent = z.strictObject({
  ...historyEntry.shape,
  ...common,
  lead_id: z.uuid(),
});

/** A wallet changed, whatever the cause. Its entry may come to say more than this. */
export const walletChanged = z.strictObject({
  ...common,
  type: z.literal('wallet.changed'),
  entry: z.looseObject({
    type: z.string(),
    event_id: z.string(),
    monthly_lapsed: z.optional(z.int()),
    monthly_change: z.int(),
    pack_change: z.int(),
    monthly_after: z.int(),
    pack_after: z.int(),
  }),
});

/** A change took the last stars of a wallet. Beside the `wallet.changed` of the same version. */
export const starsDepleted = z.strictObject({ ...common, type: z.literal('stars.depleted') });

/** Any event that the service sends. */
export const eventOut = z.discriminatedUnion('type', [leadEvent, walletChanged, starsDepleted]);
export type EventOut = z.output<typeof eventOut>;

/** At most so many events are made of one record. */
export const mostEventsOfRecord = 2;

const namespace = v5('leads-and-stars events', v5.URL);

/** Throws for what is not in the outbox: a record that can't be described must not pass for none. */
export const describeRecord = ({ dynamodb }: DynamoDBRecord): EventOut[] => {
  // The types of the record and of the SDK differ in how they spell bytes, and nothing here has any.
  const item = unmarshall((dynamodb?.NewImage ?? {}) as Parameters<typeof unmarshall>[0]);
  const { pk = '', sk } = item as Partial<Key>;
  const eventId = (type: string) => v5(JSON.stringify([pk, sk, type]), namespace);
  if (pk.startsWith(outbox.history)) return [leadEventOf(item, pk, eventId)];
  if (pk.startsWith(outbox.ledger)) return walletEventsOf(item, pk, eventId);
  throw new Error(`no event is made of ${pk}`);
};

type EventId = (type: string) => string;

const leadEventOf = (item: Item, pk: string, eventId: EventId): EventOut => {
  const [organization_id = '', lead_id = ''] = pk.slice(outbox.history.length).split('#');
  const entry = toHistoryEntry(item);
  return { event_id: eventId(entry.type), organization_id, lead_id, ...entry };
};

const walletEventsOf = (item: Item, pk: string, eventId: EventId): EventOut[] => {
  const { pk: _pk, sk: _sk, version, at, ...rest } = item;
  const entry = rest as z.output<typeof walletChanged>['entry'];
  const event = <T extends string>(type: T) => ({
    event_id: eventId(type),
    type,
    at: at as string,
    organization_id: pk.slice(outbox.ledger.length),
    version: version as number,
  });
  const after = entry.monthly_after + entry.pack_after;
  const before = after + (entry.monthly_lapsed ?? 0) - entry.monthly_change - entry.pack_change;
  return [
    { ...event('wallet.changed'), entry },
    ...(after === 0 && before > 0 ? [event('stars.depleted')] : []),
  ];
};
