import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { feedIdOf } from '../changes/feed.ts';
import { atRevision, followerAttributes, updateFollower } from '../consumers/follower.ts';
import { absent } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { type AttributesOf, Kind } from '../table/kind.ts';
import type { Table, Write } from '../table/table.ts';
import type { ItemChange } from '../table/write.ts';

// docs/decisions/usage.md

/** The consumer's name in wakes. */
export const usageConsumer = 'usage';

export const usageKind = new Kind(places.usage, {
  holds: 'how far an organization’s usage is counted, and in which sums',
  attributes: z.object({
    ...followerAttributes,
    /** The sums that are told: others each time all is counted anew. */
    sums_id: z.uuid(),
    /** When the last counted entry was made; absent where none is counted. */
    counted_until: z.optional(z.iso.datetime()),
    /** Sums that are told no more, and have to be deleted. */
    former_sums: z.array(z.uuid()),
  }),
});

/** How far usage is counted: the checkpoint is a version of the wallet. Revision 0 says that nothing is stored yet. */
export type Counted = AttributesOf<typeof usageKind>;

/** Nothing is counted, in new sums. */
const uncounted = (organizationId: string) => ({
  feed_id: feedIdOf(organizationId),
  checkpoint: 0,
  sums_id: randomUUID(),
  counted_until: undefined,
});

export const readCounted = async (
  table: Table<'GetItem'>,
  organizationId: string,
): Promise<Counted> =>
  (await table.get(usageKind.key({ organizationId }))) ?? {
    ...uncounted(organizationId),
    revision: 0,
    former_sums: [],
  };

/** Writes how far it is counted now; refused with `ConflictError` where another did since it was read. */
export const writeCounted = (
  organizationId: string,
  before: Counted,
  set: Partial<Omit<Counted, 'revision'>>,
): Write<'UpdateItem'> => {
  const key = usageKind.key({ organizationId });
  if (before.revision > 0) return updateFollower(key, { set }, atRevision(before));
  const { revision: _, ...first } = before;
  const all: ItemChange<Counted> = { set: { ...first, ...set } };
  return updateFollower(key, all, absent);
};

/** Has all be counted anew, from the first entry on. Refused with `ConflictError`. */
export const countAnew = (organizationId: string, before: Counted): Write<'UpdateItem'> =>
  writeCounted(organizationId, before, {
    ...uncounted(organizationId),
    former_sums: [...before.former_sums, before.sums_id],
    lease_token: undefined,
    lease_until: undefined,
  });
