import type { LedgerEntry } from '../billing/ledger.ts';
import { noticeKey } from '../table/keys.ts';
import type { Write } from '../table/table.ts';

/** A change of its own in the feed, told beside the ledger entry that caused it, in the same transaction. */
export interface Notice {
  type: 'stars.depleted';
}

/** Whether a change took the last stars: there were some before it. */
const tookTheLast = (entry: LedgerEntry): boolean => {
  const after = entry.monthly_after + entry.pack_after;
  const before = after + (entry.monthly_lapsed ?? 0) - entry.monthly_change - entry.pack_change;
  return after === 0 && before > 0;
};

/** What a ledger entry gives occasion to tell. */
export const noticesOf = (entry: LedgerEntry): Notice[] =>
  tookTheLast(entry) ? [{ type: 'stars.depleted' }] : [];

/** Writes notices in the transaction of their entry. The entry has to say how many: see `numbering.ts`. */
export const putNotices = (
  organizationId: string,
  { version, at }: Pick<LedgerEntry, 'version' | 'at'>,
  notices: readonly Notice[],
): Write<'PutItem'>[] =>
  notices.map((notice, place) => ({
    Put: {
      Item: { ...noticeKey(organizationId, version, place), version, at, ...notice },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }));
