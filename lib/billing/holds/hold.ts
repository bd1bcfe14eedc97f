import * as z from 'zod/mini';
import { iso } from '../stored/balance.ts';
import type { EventRecord } from '../stored/event-record.ts';
import { sum } from '../stored/lots.ts';
import type { OpenHold } from '../stored/open-hold.ts';
import { eventId } from '../terms/fields.ts';
import { purposeOutput, toldPurpose } from '../terms/purpose.ts';
import { anyStars, someStars } from '../terms/stars.ts';
import { holdRecordOf, statusAfter } from '../writer/by-record.ts';
import type { UpdateContent } from '../writer/wallet-update.ts';

/** A hold as the API answers it. */
export const hold = z
  .strictObject({
    hold_id: eventId(),
    status: z
      .enum(['open', 'captured', 'released', 'expired'])
      .check(z.describe('How it ended; `open` until then.')),
    stars: someStars().check(z.describe('How many were held.')),
    captured_stars: anyStars().check(z.describe('How many were spent as it was captured.')),
    missing_stars: anyStars().check(z.describe('How many more were asked for then.')),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    ...purposeOutput,
  })
  .check(z.meta({ id: 'Hold' }));
export type HoldReply = z.output<typeof hold>;

/** Asks for a hold to expire that many seconds from now, but never earlier than it would: so tries that are held up do no harm. */
export const extensionUpdate = (event_id: string, expires_in_seconds: number): UpdateContent => ({
  cause: { type: 'hold.extended', event_id, expires_in_seconds },
});

/** A hold that has not ended. */
export const openHoldReply = ({ hold_id, at, expires_at, lots, ...held }: OpenHold): HoldReply => ({
  hold_id,
  status: 'open',
  stars: sum(lots),
  captured_stars: 0,
  missing_stars: 0,
  created_at: iso(at),
  expires_at: iso(expires_at),
  ...toldPurpose(held),
});

/** The hold of a record, at a time of its wallet, for a caller with this spender. Throws `not_found`. */
export const toHold = (
  hold_id: string,
  record: EventRecord | undefined,
  now: number,
  own?: string,
): HoldReply => {
  const { hold, hold_end: end, extended_to, balance } = holdRecordOf(record, own);
  const expires_at = extended_to ?? hold.expires_at;
  return {
    ...openHoldReply({ ...hold, hold_id, at: Date.parse(balance.as_of), expires_at }),
    status: end ? statusAfter[end.type] : now < expires_at ? 'open' : 'expired',
    captured_stars: end?.stars ?? 0,
    missing_stars: end ? end.asked - end.stars : 0,
  };
};
