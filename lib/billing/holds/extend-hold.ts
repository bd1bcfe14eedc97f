import { toBalance } from '../balance.ts';
import {
  changeWallet,
  putGuard,
  toRefusalError,
  type UpdateItems,
  type WalletTable,
} from '../change-wallet.ts';
import { apply } from '../rules/rules.ts';
import {
  createdAt,
  type HoldEnd,
  type HoldIds,
  type HoldReply,
  holdOf,
  keysOfHold,
  notEnded,
  toEndedError,
  toHold,
} from './hold.ts';
import { deleteOpenHold, putOpenHold } from './open-holds.ts';

/**
 * Has a hold expire so many seconds from now, but never earlier than it would: so tries that are held up do no harm.
 * Throws as `changeWallet` does, `already_captured`, `already_released` or `hold_expired` for a hold that has ended, and
 * `not_found` for an id that no hold has.
 */
export const extendHold = (
  table: WalletTable,
  ids: HoldIds,
  expiresInSeconds: number,
  items?: UpdateItems,
): Promise<HoldReply> => {
  const { organizationId, holdId } = ids;
  return changeWallet<HoldReply>(
    table,
    {
      ...keysOfHold(ids),

      firstOutcome(guard) {
        const end = guard.hold_end as HoldEnd | undefined;
        if (end) throw toEndedError(end);
        return undefined;
      },

      // It stands in the ledger, so that the wallet has another version: whoever reads its holds meanwhile reads them anew.
      decide(wallet, now, { guard }) {
        const held = holdOf(guard);
        const step = apply(wallet, { type: 'hold.extended', event_id: holdId }, now, {
          hold: held,
        });
        if (typeof step === 'string') {
          return { rejection: toRefusalError(step, toBalance(wallet, now)) };
        }
        const expires_at = now + expiresInSeconds * 1000;
        if (expires_at <= held.expires_at) return { rejection: toHold(holdId, guard, now) };
        const after = { ...guard!, extended_to: expires_at };
        const at = Date.parse(createdAt(guard));
        return {
          step,
          writes: [
            putGuard(after, notEnded),
            deleteOpenHold(organizationId, held.expires_at, holdId),
            putOpenHold(organizationId, { ...held, expires_at, hold_id: holdId, at }),
          ],
          outcome: toHold(holdId, after, now),
        };
      },
    },
    items,
  );
};
