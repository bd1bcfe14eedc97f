import * as z from 'zod/mini';
import { ApiError } from '../../errors/errors.ts';
import { walletEventKey } from '../../table/keys.ts';
import type { Item, Table } from '../../table/table.ts';
import { iso, parseBalance } from '../balance.ts';
import { readUpdateItems, type UpdateItems, type UpdateKeys } from '../change-wallet.ts';
import { eventId } from '../fields.ts';
import { purposeOutput, toldPurpose } from '../purpose.ts';
import type { Hold } from '../rules/causes.ts';
import { sum } from '../rules/compartments.ts';
import { anyStars, someStars } from '../stars.ts';
import type { OpenHold } from './open-holds.ts';

/** The longest time that a hold lasts: 7 days, in seconds. */
const longestHoldSeconds = 7 * 24 * 60 * 60;

export const expiresInSeconds = () =>
  z
    .int()
    .check(
      z.gte(1),
      z.lte(longestHoldSeconds),
      z.describe('From now on. Then its stars come back by themselves.'),
    );

/** A hold as the API answers it. */
export const hold = z
  .strictObject({
    hold_id: eventId(),
    status: z
      .enum(['open', 'captured', 'released', 'expired'])
      .check(z.describe('How it ended; `open` until then.')),
    stars: someStars().check(z.describe('How many were held.')),
    captured_stars: anyStars().check(z.describe('How many of them were spent.')),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    ...purposeOutput,
  })
  .check(z.meta({ id: 'Hold' }));
export type HoldReply = z.output<typeof hold>;

const statusAfter = { 'hold.captured': 'captured', 'hold.released': 'released' } as const;

/** How a hold ended, as its guard has it. */
export interface HoldEnd {
  type: 'hold.captured' | 'hold.released';
  stars: number;
  balance: string;
}

/** Whose hold it is. */
export interface HoldIds {
  organizationId: string;
  holdId: string;
}

export const keysOfHold = ({ organizationId, holdId }: HoldIds): UpdateKeys => ({
  organizationId,
  guardKey: walletEventKey(organizationId, holdId),
  others: [],
});

/** The wallet and the hold's guard, in one request. */
export const readHoldItems = (table: Table<'GetItem'>, ids: HoldIds): Promise<UpdateItems> =>
  readUpdateItems(table, keysOfHold(ids));

/** The hold that a guard is of, with its latest expiry. Throws `not_found` for anything else. */
export const holdOf = (guard: Item | undefined): Hold => {
  if (!guard?.hold) throw new ApiError('not_found');
  const held = guard.hold as Hold;
  return { ...held, expires_at: (guard.extended_to as number | undefined) ?? held.expires_at };
};

/** The condition under which a guard is of a hold that was neither captured nor released. */
export const notEnded = 'attribute_exists(pk) AND attribute_not_exists(hold_end)';

/** The error of what can't be done to a hold that has ended. */
export const toEndedError = ({ type }: HoldEnd): ApiError =>
  new ApiError(type === 'hold.captured' ? 'already_captured' : 'already_released');

/** When the hold of a guard was made. */
export const createdAt = (guard: Item | undefined): string => parseBalance(guard?.balance).as_of;

/** The hold at a time of its wallet. Throws `not_found`. */
export const toHold = (holdId: string, guard: Item | undefined, now: number): HoldReply => {
  const held = holdOf(guard);
  const end = guard?.hold_end as HoldEnd | undefined;
  return {
    hold_id: holdId,
    status: end ? statusAfter[end.type] : now < held.expires_at ? 'open' : 'expired',
    stars: sum(held.lots),
    captured_stars: end?.stars ?? 0,
    created_at: createdAt(guard),
    expires_at: iso(held.expires_at),
    ...toldPurpose(held),
  };
};

/** A hold that has not ended. */
export const openHoldReply = ({ hold_id, at, expires_at, lots, ...held }: OpenHold): HoldReply => ({
  hold_id,
  status: 'open',
  stars: sum(lots),
  captured_stars: 0,
  created_at: iso(at),
  expires_at: iso(expires_at),
  ...toldPurpose(held),
});
