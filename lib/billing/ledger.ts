import * as z from 'zod/mini';
import { noticesOf, putNotices } from '../changes/notices.ts';
import { inOrder } from '../table/item.ts';
import { ledgerEntryKey } from '../table/keys.ts';
import type { Item, Write } from '../table/table.ts';
import { eventId, reason } from './fields.ts';
import { compartmentChange, starsInCompartment } from './stars.ts';

/**
 * One change of a wallet, never changed itself. Entries chain: `monthly_after` is the one before, less
 * `monthly_lapsed`, plus `monthly_change`; `pack_after` is the one before plus `pack_change`.
 */
export const ledgerEntry = z
  .strictObject({
    version: z
      .int()
      .check(
        z.gte(1),
        z.describe('The wallet’s version after this entry: entries are numbered without gaps.'),
      ),
    at: z.iso.datetime(),
    type: z.string().check(z.describe('What caused it, such as `organization.provisioned`.')),
    event_id: eventId().check(z.describe('The cause’s own id: it changes a wallet once.')),
    reason: z.nullable(reason()),
    monthly_lapsed: starsInCompartment().check(
      z.describe(
        'Monthly stars that had lapsed since the entry before, and are written off by this one.',
      ),
    ),
    monthly_change: compartmentChange(),
    pack_change: compartmentChange(),
    monthly_after: starsInCompartment(),
    pack_after: starsInCompartment(),
  })
  .check(z.meta({ id: 'LedgerEntry' }));
export type LedgerEntry = z.output<typeof ledgerEntry>;

/** Writes an entry, and beside it what it gives occasion to tell. */
export const putLedgerEntry = (organizationId: string, entry: LedgerEntry): Write<'PutItem'>[] => {
  const notices = noticesOf(entry);
  const { length } = notices;
  return [
    {
      Put: {
        Item: {
          ...ledgerEntryKey(organizationId, entry.version),
          ...entry,
          ...(length > 0 && { notices: length }),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    ...putNotices(organizationId, entry, notices),
  ];
};

/** In the order of the schema: the table keeps none. */
export const toLedgerEntry = (item: Item): LedgerEntry => inOrder(ledgerEntry, item);
