import { noticeKey } from '../table/keys.ts';
import type { Write } from '../table/table.ts';

/** A change of its own in the feed, told beside the ledger entry that caused it, in the same transaction. */
export type Notice =
  | { type: 'stars.low'; threshold: number; available_stars: number }
  | { type: 'stars.depleted' };

/** What is told of the thresholds that a change fell to: one for each, 0 for the last star. */
export const noticesOf = (crossed: readonly number[], available_stars: number): Notice[] =>
  crossed.map((threshold) =>
    threshold > 0 ? { type: 'stars.low', threshold, available_stars } : { type: 'stars.depleted' },
  );

/** Writes notices in the transaction of their entry. The entry has to say how many: see `numbering.ts`. */
export const putNotices = (
  organizationId: string,
  { version, at }: { version: number; at: string },
  notices: readonly Notice[],
): Write<'PutItem'>[] =>
  notices.map((notice, place) => ({
    Put: {
      Item: { ...noticeKey(organizationId, version, place), version, at, ...notice },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }));
