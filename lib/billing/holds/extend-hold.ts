import { expiryOf, type HoldEvent } from '../rules/causes.ts';
import type { WalletUpdate } from '../writer/change-wallet.ts';
import { type HoldReply, holdRecordOf, toEndedError, toHold } from './hold.ts';

/**
 * Has a hold expire that many seconds from now, but never earlier than it would: so tries that are held up do no harm.
 * Throws `already_captured`, `already_released` or `hold_expired` for a hold that has ended, and `not_found` for an id that
 * no hold has.
 */
export const extendHold = (
  event_id: string,
  expires_in_seconds: number,
): WalletUpdate<HoldReply> => {
  const cause: HoldEvent = { type: 'hold.extended', event_id, expires_in_seconds };
  return {
    cause,
    outcomeOf(record, now) {
      const { hold_end: end } = holdRecordOf(record);
      if (end) throw toEndedError(end.type);
      const hold = toHold(event_id, record, now);
      return Date.parse(hold.expires_at) < expiryOf(cause, now) ? undefined : hold;
    },
  };
};
