import * as z from 'zod/mini';
import { inOrder } from '../table/item.ts';
import { ledgerEntryKey } from '../table/keys.ts';
import type { Item, Write } from '../table/table.ts';

/**
 * One change of a wallet, never changed itself. Entries chain: `monthly_after` is the one before, less
 * `monthly_lapsed`, plus `monthly_change`; `pack_after` is the one before plus `pack_change`.
 */
export const ledgerEntry = z.strictObject({
  /** The wallet's version after this entry: entries are numbered without gaps. */
  version: z.int(),
  at: z.iso.datetime(),
  /** What caused it, such as `organization.provisioned`. */
  type: z.string(),
  /** The cause's own id: it changes a wallet once. */
  event_id: z.string(),
  reason: z.nullable(z.string()),
  /** Monthly stars that had lapsed since the entry before, and are written off by this one. */
  monthly_lapsed: z.int(),
  monthly_change: z.int(),
  pack_change: z.int(),
  monthly_after: z.int(),
  pack_after: z.int(),
});
export type LedgerEntry = z.output<typeof ledgerEntry>;

export const putLedgerEntry = (organizationId: string, entry: LedgerEntry): Write<'PutItem'> => ({
  Put: {
    Item: { ...ledgerEntryKey(organizationId, entry.version), ...entry },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** In the order of the schema: the table keeps none. */
export const toLedgerEntry = (item: Item): LedgerEntry => inOrder(ledgerEntry, item);
