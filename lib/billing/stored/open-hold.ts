import * as z from 'zod/mini';
import { absent, present } from '../../table/condition.ts';
import { places } from '../../table/keys.ts';
import { type ItemOf, Kind } from '../../table/kind.ts';
import { ConflictError } from '../../table/retry.ts';
import type { Item, Table, Write } from '../../table/table.ts';
import { put, remove } from '../../table/write.ts';
import type { EventRecord } from './event-record.ts';
import { type Hold, storedHold } from './lots.ts';
import { refuseStored } from './wallet-invariant.ts';

/** A hold that was neither captured nor released, nor written off as expired. */
export interface OpenHold extends Hold {
  hold_id: string;
  /** When the hold was made: milliseconds since the epoch. */
  at: number;
}

export const openHoldKind = new Kind(places.openHold, {
  holds: 'open holds, the soonest to expire first',
  /** The expiry is not at the top of the item: DynamoDB removes items by an attribute of that name. */
  attributes: z.object({ hold_id: z.string(), at: z.number(), hold: storedHold }),
  refuse: refuseStored,
});

export const toOpenHold = ({ hold_id, at, hold }: ItemOf<typeof openHoldKind>): OpenHold => ({
  hold_id,
  at,
  ...hold,
});

/** A time in milliseconds since the epoch, in the key of an open hold. */
const expiryText = (time: number): string => String(time).padStart(16, '0');
/** The pattern of sort keys of open holds. */
export const openHoldPattern = /^\d{16}#[\w.:-]{1,128}$/;

const keyOf = (organizationId: string, { expires_at, hold_id }: OpenHold) =>
  openHoldKind.key({ organizationId, expiry: expiryText(expires_at), holdId: hold_id });

/** The sort key before all open holds that expire after a time. */
export const openHoldsAfter = (time: number): string =>
  openHoldKind.sort({ expiry: expiryText(time + 1), holdId: '' });

/** An open hold, of which there is none yet. */
export const putOpenHold = (organizationId: string, hold: OpenHold): Write<'PutItem'> => {
  const { hold_id, at, ...held } = hold;
  return put(keyOf(organizationId, hold), { hold_id, at, hold: held }, { condition: absent });
};

/** Refused with `write_conflict` if the hold has ended meanwhile. */
export const deleteOpenHold = (organizationId: string, hold: OpenHold): Write<'DeleteItem'> =>
  remove(keyOf(organizationId, hold), { condition: present, refused: () => new ConflictError() });

/**
 * The open hold of a record, with its latest expiry. Undefined if the record has no hold, or its hold was captured or
 * released.
 */
export const openHoldOf = (
  hold_id: string,
  { hold, hold_end, extended_to, balance }: EventRecord,
): OpenHold | undefined =>
  hold && !hold_end
    ? {
        ...hold,
        expires_at: extended_to ?? hold.expires_at,
        hold_id,
        at: Date.parse(balance.as_of),
      }
    : undefined;

interface Extent {
  limit?: number;
  /** Milliseconds since the epoch. */
  expiredBy?: number;
}

/** The last millisecond that a date can be. */
const lastTime = 8.64e15 - 1;

/** Open holds, the soonest to expire first: `limit` at most, or all that have expired by a time. */
export const readOpenHolds = async (
  table: Table<'Query'>,
  organizationId: string,
  { limit = Number.POSITIVE_INFINITY, expiredBy = lastTime }: Extent = {},
): Promise<OpenHold[]> => {
  const pk = openHoldKind.partition({ organizationId });
  const sk = openHoldsAfter(expiredBy);
  const holds: OpenHold[] = [];
  let last: Item | undefined;
  do {
    const page = await table.query({
      kind: openHoldKind,
      condition: 'pk = :pk AND sk < :sk',
      values: { ':pk': pk, ':sk': sk },
      limit: Math.min(limit - holds.length, 1000),
      startAfter: last,
      consistent: true,
    });
    holds.push(...page.items.map(toOpenHold));
    last = page.last;
  } while (last && holds.length < limit);
  return holds;
};
