import * as z from 'zod/mini';
import { inOrder } from '../table/item.ts';
import { ledgerEntryKey } from '../table/keys.ts';
import type { Item, Write } from '../table/table.ts';

/**
 * One change of a wallet, never changed itself. Entries chain: `monthly_after` is the one before, less
 * `monthly_lapsed`, plus `monthly_change`; `pack_after` is the one before plus `pack_change`.
 */
export const ledgerEntry = z
  .strictObject({
    version: z
      .int()
      .check(
        z.describe('The wallet’s version after this entry: entries are numbered without gaps.'),
      ),
    at: z.iso.datetime(),
    type: z.string().check(z.describe('What caused it, such as `organization.provisioned`.')),
    event_id: z.string().check(z.describe('The cause’s own id: it changes a wallet once.')),
    reason: z.nullable(z.string()),
    monthly_lapsed: z
      .int()
      .check(
        z.describe(
          'Monthly stars that had lapsed since the entry before, and are written off by this one.',
        ),
      ),
    monthly_change: z.int(),
    pack_change: z.int(),
    monthly_after: z.int(),
    pack_after: z.int(),
  })
  .check(z.meta({ id: 'LedgerEntry' }));
export type LedgerEntry = z.output<typeof ledgerEntry>;

export const putLedgerEntry = (organizationId: string, entry: LedgerEntry): Write<'PutItem'> => ({
  Put: {
    Item: { ...ledgerEntryKey(organizationId, entry.version), ...entry },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** In the order of the schema: the table keeps none. */
export const toLedgerEntry = (item: Item): LedgerEntry => inOrder(ledgerEntry, item);
