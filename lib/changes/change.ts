import * as z from 'zod/mini';
import { ledgerEntry } from '../billing/stored/ledger-entry.ts';
import { starsInWallet, threshold } from '../billing/terms/stars.ts';
import { historyEntry, historyTypes } from '../leads/history.ts';
import { noteText, noteTypes } from '../leads/notes/note.ts';

/** Who sends changes as events, as rules on the bus name it. */
export const eventSource = 'leads-and-stars';

const { version, at, user_id, ...entryShape } = ledgerEntry.shape;

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
    user_id,
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
