import * as z from 'zod/mini';
import type { Permission } from '../operations/permissions.ts';
import { type OutboxName, outbox } from '../table/keys.ts';
import { type Item, toKey } from '../table/table.ts';
import { tellings } from './kinds.ts';
import { feedPosition } from './telling.ts';

/** The source of the events that tell changes, as rules on the bus name it. */
export const eventSource = 'leads-and-stars';

type ChangeSchema = (typeof tellings)[OutboxName]['schemas'][number];
/** The schema of each type of change. */
export const changeSchemas = Object.values(tellings).flatMap(
  ({ schemas }): ChangeSchema[] => schemas,
);

/** One change, as the feed, the bus and webhooks tell it. */
export const change = z.discriminatedUnion('type', [changeSchemas[0]!, ...changeSchemas.slice(1)]);
export type Change = z.output<typeof change>;
export type ChangeType = Change['type'];

const outboxNames = Object.keys(outbox) as OutboxName[];

/** The types of change that a kind of fact has. */
export const typesOf = (name: OutboxName) => Object.keys(tellings[name].types) as ChangeType[];

/** Every type of change. */
export const changeTypes = outboxNames.flatMap(typesOf);

const usualNames: OutboxName[] = ['leads', 'notes', 'wallets', 'notices'];
/** The types of a webhook that names none. Changes of settings go only to webhooks that ask for them. */
export const usualTypes = usualNames.flatMap(typesOf);

// An `event_id` is made of the thing's key: whoever guesses the key could see by it that the change was of this thing.
const { event_id: _, ...hiddenPosition } = feedPosition;

/** A change of something that the reader of the feed may not read. */
export const hiddenChange = z
  .strictObject({ ...hiddenPosition, type: z.literal('hidden') })
  .check(z.meta({ id: 'HiddenChange' }));

/** A change as it is told to users who may not read its thing: only that it is there. */
export const toHiddenChange = ({
  sequence,
  feed_id,
  at,
  organization_id,
}: Change): z.output<typeof hiddenChange> => ({
  sequence,
  feed_id,
  at,
  organization_id,
  type: 'hidden',
});

const outboxNameOf = (item: Item): OutboxName => {
  const { pk } = toKey(item);
  const found = outboxNames.find((name) => pk.startsWith(outbox[name]));
  if (!found) throw new Error(`no change is made of ${pk}`);
  return found;
};

/** A change, and its lane: changes of one lane are told one after another. */
export interface Told {
  change: Change;
  lane: string;
}

/** The change that a numbered item of the outbox is. Throws for any other: it must not pass for none. */
export const toTold = (item: Item): Told => {
  const { tell, laneOf } = tellings[outboxNameOf(item)];
  return { change: tell(item), lane: laneOf(item) };
};

/** Whether the change that an item is would be of one of these types: to describe it costs far more. */
export const isOfTypes = (item: Item, types: readonly ChangeType[]): boolean => {
  const type = tellings[outboxNameOf(item)].typeOf(item);
  return types.some((one) => one === type);
};

/** The types of change that whoever is allowed this may read. */
export const readableTypes = (isAllowed: (permission: Permission) => boolean): ChangeType[] =>
  outboxNames.filter((name) => isAllowed(tellings[name].permission)).flatMap(typesOf);
