import * as z from 'zod/mini';
import type { HoldEvent } from '../rules/causes.ts';
import { balance } from '../stored/balance.ts';
import { sum } from '../stored/lots.ts';
import { anyStars } from '../terms/stars.ts';
import type { WalletUpdate } from '../writer/change-wallet.ts';
import { holdGuardOf, toEndedError } from './hold.ts';

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
type HoldEnd = z.output<typeof holdEnd>;

/**
 * Ends a hold. A repeat returns what the first did. Throws `already_captured`, `already_released` or `hold_expired` for a
 * hold that has ended in another way, and `not_found` for an id that no hold has.
 */
const endHold = (
  cause: Extract<HoldEvent, { type: 'hold.captured' | 'hold.released' }>,
): WalletUpdate<HoldEnd> => ({
  cause,
  outcomeOf(guard) {
    const { hold, hold_end: end } = holdGuardOf(guard);
    if (!end) return undefined;
    const held = sum(hold.lots);
    const wanted = cause.type === 'hold.captured' ? (cause.stars ?? held) : 0;
    if (end.type !== cause.type || end.stars !== wanted) throw toEndedError(end.type);
    return { captured_stars: wanted, returned_stars: held - wanted, balance: end.balance };
  },
});

/** Spends `stars` of a hold, or all, and returns the rest. Throws `invalid_request` for more than it has. */
export const captureHold = (event_id: string, stars?: number): WalletUpdate<HoldEnd> =>
  endHold({ type: 'hold.captured', event_id, stars });

/** Returns all stars of a hold. */
export const releaseHold = (event_id: string): WalletUpdate<HoldEnd> =>
  endHold({ type: 'hold.released', event_id });
