import { ledgerEntryKey } from '../table/keys.ts';
import type { Write } from '../table/table.ts';

/** One change of a wallet. It is never changed itself. */
export interface LedgerEntry {
  /** The wallet's version after this entry: entries are numbered without gaps. */
  version: number;
  /** ISO 8601. */
  at: string;
  /** What caused it, such as `organization.provisioned`. */
  type: string;
  /** The cause's own id: it changes a wallet once. */
  event_id: string;
  monthly_change: number;
  pack_change: number;
  monthly_after: number;
  pack_after: number;
}

export const putLedgerEntry = (organizationId: string, entry: LedgerEntry): Write<'PutItem'> => ({
  Put: {
    Item: { ...ledgerEntryKey(organizationId, entry.version), ...entry },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});
