import * as z from 'zod/mini';
import { expiresInSeconds } from '../rules/hold-events.ts';
import { balance, iso } from '../stored/balance.ts';
import type { EventRecord } from '../stored/event-record.ts';
import { sum } from '../stored/lots.ts';
import { eventId, notAfter } from '../terms/fields.ts';
import { purposeInput, purposeOutput, toldPurpose } from '../terms/purpose.ts';
import { someStars } from '../terms/stars.ts';
import { holdRecordOf } from '../writer/by-record.ts';
import type { UpdateContent } from '../writer/wallet-update.ts';

/** The body of `PUT /billing/holds/{hold_id}`. */
export const holdInput = z
  .strictObject({
    stars: someStars(),
    expires_in_seconds: expiresInSeconds(),
    ...purposeInput,
    not_after: z.optional(notAfter()),
  })
  .check(z.meta({ id: 'HoldInput' }));

/** The answer: the hold as it was made, and the balance then. */
export const newHold = z
  .strictObject({
    hold_id: eventId(),
    stars: someStars(),
    expires_at: z.iso.datetime(),
    ...purposeOutput,
    balance,
  })
  .check(z.meta({ id: 'HeldStars' }));

/** Asks for stars to be held until the hold is captured or released, or expires. */
export const holdUpdate = (
  hold_id: string,
  { not_after, ...input }: z.output<typeof holdInput>,
): UpdateContent => ({ cause: { type: 'stars.held', event_id: hold_id, ...input }, not_after });

/** The hold as it was made, by its record. */
export const toNewHold = (hold_id: string, record: EventRecord): z.output<typeof newHold> => {
  const { hold, balance } = holdRecordOf(record);
  const told = { hold_id, stars: sum(hold.lots), expires_at: iso(hold.expires_at) };
  return { ...told, ...toldPurpose(hold), balance };
};
