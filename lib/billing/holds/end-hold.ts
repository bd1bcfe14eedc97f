import * as z from 'zod/mini';
import { type Balance, balance, parseBalance, toBalance } from '../balance.ts';
import {
  changeWallet,
  putGuard,
  toRefusalError,
  type UpdateItems,
  type WalletTable,
} from '../change-wallet.ts';
import { purposeOf } from '../purpose.ts';
import type { Hold, HoldEvent } from '../rules/causes.ts';
import { sum } from '../rules/compartments.ts';
import { apply } from '../rules/rules.ts';
import { anyStars } from '../stars.ts';
import { type HoldEnd, type HoldIds, holdOf, keysOfHold, notEnded, toEndedError } from './hold.ts';
import { deleteOpenHold } from './open-holds.ts';

/** What capturing and releasing a hold answers. */
export const holdEnd = z
  .strictObject({
    captured_stars: anyStars().check(z.describe('Stars of the hold that were spent.')),
    returned_stars: anyStars().check(
      z.describe('Stars of the hold that were not spent, also those that lapsed at once.'),
    ),
    balance,
  })
  .check(z.meta({ id: 'HoldEnd' }));
type HoldEndReply = z.output<typeof holdEnd>;

/**
 * Ends a hold: captures so many of its stars, or all, and returns the rest; or releases it. A repeat
 * returns what the first did. Throws as `changeWallet` does, `already_captured`, `already_released` or
 * `hold_expired` for a hold that has ended in another way, `not_found` for an id that no hold has, and
 * `invalid_request` for more stars than it has.
 */
const endHold = (
  table: WalletTable,
  ids: HoldIds,
  cause: Extract<HoldEvent, { type: 'hold.captured' | 'hold.released' }>,
  items: UpdateItems | undefined,
): Promise<HoldEndReply> => {
  const { organizationId, holdId } = ids;
  const wanted = ({ lots }: Hold) =>
    cause.type === 'hold.captured' ? (cause.stars ?? sum(lots)) : 0;
  return changeWallet<HoldEndReply>(
    table,
    {
      ...keysOfHold(ids),

      firstOutcome(guard) {
        const held = holdOf(guard);
        const end = guard.hold_end as HoldEnd | undefined;
        if (!end) return undefined;
        if (end.type !== cause.type || end.stars !== wanted(held)) {
          throw toEndedError(end);
        }
        return toReply(held, end.stars, parseBalance(end.balance));
      },

      decide(wallet, now, { guard }) {
        const held = holdOf(guard);
        const step = apply(wallet, cause, now, { hold: held });
        if (typeof step === 'string') {
          return { rejection: toRefusalError(step, toBalance(wallet, now)) };
        }
        const after = toBalance(step.wallet, now);
        const stars = wanted(held);
        const hold_end: HoldEnd = { type: cause.type, stars, balance: JSON.stringify(after) };
        const spend = stars > 0 && {
          spend: { lots: step.takenLots, refunded: 0, ...purposeOf(held) },
        };
        return {
          step,
          writes: [
            putGuard({ ...guard, hold_end, ...spend }, notEnded),
            deleteOpenHold(organizationId, held.expires_at, holdId),
          ],
          outcome: toReply(held, stars, after),
        };
      },
    },
    items,
  );
};

const toReply = ({ lots }: Hold, captured_stars: number, balance: Balance): HoldEndReply => ({
  captured_stars,
  returned_stars: sum(lots) - captured_stars,
  balance,
});

/** Spends so many stars of a hold, or all, and returns the rest. */
export const captureHold = (
  table: WalletTable,
  ids: HoldIds,
  stars?: number,
  items?: UpdateItems,
): Promise<HoldEndReply> =>
  endHold(table, ids, { type: 'hold.captured', event_id: ids.holdId, stars }, items);

/** Returns all stars of a hold. */
export const releaseHold = (
  table: WalletTable,
  ids: HoldIds,
  items?: UpdateItems,
): Promise<HoldEndReply> =>
  endHold(table, ids, { type: 'hold.released', event_id: ids.holdId }, items);
