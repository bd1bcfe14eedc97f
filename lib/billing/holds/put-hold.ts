import * as z from 'zod/mini';
import type { HoldEvent } from '../rules/causes.ts';
import { balance, iso } from '../stored/balance.ts';
import { sum } from '../stored/lots.ts';
import { eventId, notAfter } from '../terms/fields.ts';
import { purposeInput, purposeOutput, toldPurpose } from '../terms/purpose.ts';
import { someStars } from '../terms/stars.ts';
import { assertSameCause, type WalletUpdate } from '../writer/change-wallet.ts';
import { expiresInSeconds, holdRecordOf } from './hold.ts';

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

/**
 * Holds stars until the hold is captured or released, or expires. Throws `insufficient_stars`, `limit_reached`, and
 * `event_id_reused` for an id that another hold or event has.
 */
export const putHold = (
  hold_id: string,
  { not_after, ...input }: z.output<typeof holdInput>,
): WalletUpdate<z.output<typeof newHold>> => {
  const cause: HoldEvent = { type: 'stars.held', event_id: hold_id, ...input };
  return {
    cause,
    notAfter: not_after,
    outcomeOf(record) {
      if (!record) return undefined;
      assertSameCause(record, cause, 'hold_id');
      const { hold, balance } = holdRecordOf(record);
      const told = { hold_id, stars: sum(hold.lots), expires_at: iso(hold.expires_at) };
      return { ...told, ...toldPurpose(hold), balance };
    },
  };
};
