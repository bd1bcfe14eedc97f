import { v5 } from 'uuid';
import * as z from 'zod/mini';
import { ledgerEntry } from '../billing/ledger.ts';
import { starsInWallet, threshold } from '../billing/stars.ts';
import { toLedgerEntry } from '../billing/stored-entry.ts';
import { historyEntry, historyTypes, toHistoryEntry } from '../leads/history.ts';
import { noteText, noteTypes } from '../leads/notes/note.ts';
import { type Key, outbox, outboxEntry } from '../table/keys.ts';
import type { Item } from '../table/table.ts';

/** Who sends changes as events, as rules on the bus name it. */
export const eventSource = 'leads-and-stars';

const { version: _version, at: _at, ...entryShape } = ledgerEntry.shape;

const common = {
  event_id: z
    .uuid()
    .check(
      z.describe('The same wherever this change is told and repeated, and of no other change.'),
    ),
  sequence: z
    .int()
    .check(z.gte(1), z.describe('1, 2, 3, … without gaps, in the organization’s feed.')),
  feed_id: z.uuid().check(z.describe('Numbers with another `feed_id` are of other changes.')),
  at: z.iso.datetime().check(z.describe('When the change was made.')),
  organization_id: z.uuid(),
  version: z
    .int()
    .check(
      z.gte(1),
      z.describe('Of the lead, the note or the wallet after the change, without gaps.'),
    ),
};
const ofNobody = z.null().check(z.describe('No user made it.'));

/** A lead was created, updated, deleted, restored, merged or erased. */
const leadChange = z
  .strictObject({
    ...historyEntry.shape,
    ...common,
    lead_id: z.uuid(),
  })
  .check(z.meta({ id: 'LeadChange' }));

/** A note of a lead was written, changed or deleted. The lead itself did not change. */
const noteChange = z
  .strictObject({
    ...common,
    type: z.enum(noteTypes),
    user_id: z.guid().check(z.describe('Who made the change.')),
    lead_id: z.uuid(),
    note_id: z.uuid(),
    text: z
      .nullable(noteText())
      .check(
        z.describe('After the change; `null` where the note was deleted, or its lead erased.'),
      ),
    erased: z
      .optional(z.literal(true))
      .check(z.describe('The lead was erased: what was written is not told any more.')),
  })
  .check(z.meta({ id: 'NoteChange' }));

/** A wallet changed, whatever the cause. */
const walletChange = z
  .strictObject({
    ...common,
    type: z.literal('wallet.changed'),
    user_id: ofNobody,
    entry: z
      .strictObject(entryShape)
      .check(z.describe('The ledger’s: its `type` and `event_id` are of the cause.')),
  })
  .check(z.meta({ id: 'WalletChange' }));

/** The available stars fell to a threshold. Follows the `wallet.changed` of the same version. */
const starsLow = z
  .strictObject({
    ...common,
    type: z.literal('stars.low'),
    user_id: ofNobody,
    threshold: threshold(),
    available_stars: starsInWallet().check(z.describe('After the change.')),
  })
  .check(z.meta({ id: 'StarsLow' }));

/** A change took the last available stars of a wallet. Follows the `wallet.changed` of the same version. */
const starsDepleted = z
  .strictObject({ ...common, type: z.literal('stars.depleted'), user_id: ofNobody })
  .check(z.meta({ id: 'StarsDepleted' }));

/** One change, as the feed, the bus and webhooks tell it. */
export const change = z.discriminatedUnion('type', [
  leadChange,
  noteChange,
  walletChange,
  starsLow,
  starsDepleted,
]);
export type Change = z.output<typeof change>;

/** Every type of change. */
export const changeTypes = [
  ...historyTypes,
  ...noteTypes,
  'wallet.changed',
  'stars.low',
  'stars.depleted',
] as const;
export type ChangeType = (typeof changeTypes)[number];

const namespace = v5('leads-and-stars events', v5.URL);

/**
 * The id of a change, from the item's place, type and time: a table that was restored can have another change in the
 * same place, which was made at another time.
 */
const eventId = ({ pk, sk }: Key, type: string, at: unknown): string =>
  v5(JSON.stringify([pk, sk, type, at]), namespace);

/** The type of the change that an item of the outbox is. */
export const typeOf = ({ pk, type }: Item): ChangeType =>
  (String(pk).startsWith(outbox.ledger) ? 'wallet.changed' : type) as ChangeType;

/** The change that a numbered item of the outbox is. Throws for any other: it must not pass for none. */
export const toChange = (item: Item): Change => {
  const key = item as unknown as Key;
  const entry = outboxEntry(key);
  if (!entry) throw new Error(`no change is made of ${key.pk}`);
  if (item.sequence === undefined) throw new Error(`${key.pk} ${key.sk} has no sequence`);
  const type = typeOf(item);
  const described = {
    event_id: eventId(key, type, item.at),
    sequence: item.sequence as number,
    feed_id: item.feed as string,
    type,
    at: item.at as string,
    organization_id: entry.organizationId,
    user_id: (item.user_id as string | undefined) ?? null,
    version: item.version as number,
  };
  return { ...described, ...detailsOf(item, key) } as Change;
};

/** What a change's type adds. */
const detailsOf = (item: Item, { pk }: Key): object => {
  if (pk.startsWith(outbox.history)) {
    const lead_id = pk.slice(pk.lastIndexOf('#') + 1);
    const { changes, merged_from, merged_into, erased } = toHistoryEntry(item);
    return {
      lead_id,
      changes,
      ...(merged_from && { merged_from }),
      ...(merged_into && { merged_into }),
      ...(erased && { erased }),
    };
  }
  if (pk.startsWith(outbox.notes)) {
    const [lead_id, note_id] = pk.split('#').slice(2);
    return {
      lead_id,
      note_id,
      text: item.text ?? null,
      ...(item.erased === true && { erased: true }),
    };
  }
  if (pk.startsWith(outbox.ledger)) {
    const { version: _, at: __, ...entry } = toLedgerEntry(item);
    return { entry };
  }
  const { type, threshold, available_stars } = item;
  return type === 'stars.low' ? { threshold, available_stars } : {};
};
