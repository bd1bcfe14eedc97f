import { type Item, toKey } from '../table/table.ts';
import { eventSource, type Told, toTold } from './change.ts';
import { bytesOfEntry } from './event-chunks.ts';
import { outboxEntry } from './outbox.ts';

/** A numbered item of the outbox, on its way to the bus. */
export interface OutgoingEvent {
  item: Item;
  /** Events of one lane leave in their order: those of a lead and its notes, of a wallet, of a setting. */
  lane: string;
  /** The event as PutEvents takes it. Undefined if no change can be made of the item. */
  entry: { Source: string; DetailType: string; Detail: string } | undefined;
  bytes: number;
}

export const toOutgoingEvent = (item: Item): OutgoingEvent => {
  const told = tryToDescribe(item);
  if (!told) return { item, lane: String(item.pk), entry: undefined, bytes: 0 };
  const { change, lane } = told;
  const entry = {
    Source: eventSource,
    DetailType: change.type,
    Detail: JSON.stringify(change),
  };
  return { item, lane, entry, bytes: bytesOfEntry(entry) };
};

const tryToDescribe = (item: Item): Told | undefined => {
  try {
    return toTold(item);
  } catch {
    return undefined;
  }
};

/** Where an event that was set aside is found: its item, and its position in the feed. Nothing of its content. */
export const feedPositionOf = ({ item }: OutgoingEvent) => {
  const key = toKey(item);
  return {
    organization_id: outboxEntry(key)?.organizationId,
    feed_id: item.feed,
    sequence: item.sequence,
    ...key,
  };
};
