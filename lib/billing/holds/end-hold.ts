import * as z from 'zod/mini';
import type { HoldEvent } from '../rules/causes.ts';
import { balance } from '../stored/balance.ts';
import { sum } from '../stored/lots.ts';
import { anyStars, someStars } from '../terms/stars.ts';
import type { WalletUpdate } from '../writer/change-wallet.ts';
import { holdRecordOf, toEndedError } from './hold.ts';

/** What capturing and releasing a hold answers. */
export const holdEnd = z
  .strictObject({
    captured_stars: anyStars().check(z.describe('Stars that were spent.')),
    missing_stars: anyStars().check(
      z.describe('Stars that were asked for with `up_to_available`, and were not there.'),
    ),
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
  outcomeOf(record) {
    const { hold, hold_end: end } = holdRecordOf(record);
    if (!end) return undefined;
    const held = sum(hold.lots);
    const asked = cause.type === 'hold.captured' ? (cause.stars ?? held) : 0;
    if (end.type !== cause.type || end.asked !== asked) throw toEndedError(end.type);
    return {
      captured_stars: end.stars,
      missing_stars: asked - end.stars,
      returned_stars: Math.max(0, held - end.stars),
      balance: end.balance,
    };
  },
});

/** The body of `POST /billing/holds/{hold_id}/capture`. */
export const captureInput = z
  .strictObject({
    stars: z
      .optional(someStars())
      .check(
        z.describe(
          'How many are spent; without it, all that are held. More than that are spent of the free stars.',
        ),
      ),
    up_to_available: z
      .optional(z.boolean())
      .check(
        z.describe('If there are too few stars, take what there is, and tell `missing_stars`.'),
      ),
  })
  .check(z.meta({ id: 'CaptureInput' }));

/**
 * Spends `stars`, or all of the hold: first of the hold, then free ones. Returns the rest of the hold. Throws
 * `insufficient_stars` if there are too few, and leaves the hold open.
 */
export const captureHold = (
  event_id: string,
  input: z.output<typeof captureInput>,
): WalletUpdate<HoldEnd> => endHold({ type: 'hold.captured', event_id, ...input });

/** Returns all stars of a hold. */
export const releaseHold = (event_id: string): WalletUpdate<HoldEnd> =>
  endHold({ type: 'hold.released', event_id });
