import * as z from 'zod/mini';
import { balance } from '../stored/balance.ts';
import type { EventRecord } from '../stored/event-record.ts';
import { sum } from '../stored/lots.ts';
import { anyStars, someStars } from '../terms/stars.ts';
import { holdRecordOf } from '../writer/by-record.ts';
import type { UpdateContent } from '../writer/wallet-update.ts';

/** The answer to capturing or releasing a hold. */
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

/** Asks to spend `stars`, or all of the hold: first stars of the hold, then free stars. The rest of the hold comes back. */
export const captureUpdate = (
  event_id: string,
  input: z.output<typeof captureInput>,
): UpdateContent => ({ cause: { type: 'hold.captured', event_id, ...input } });

/** Asks for all stars of a hold to come back. */
export const releaseUpdate = (event_id: string): UpdateContent => ({
  cause: { type: 'hold.released', event_id },
});

/** How a hold has ended, by its record. */
export const toHoldEnd = (record: EventRecord): HoldEnd => {
  const { hold, hold_end: end } = holdRecordOf(record);
  if (!end) throw new Error('the hold is still open');
  return {
    captured_stars: end.stars,
    missing_stars: end.asked - end.stars,
    returned_stars: Math.max(0, sum(hold.lots) - end.stars),
    balance: end.balance,
  };
};
