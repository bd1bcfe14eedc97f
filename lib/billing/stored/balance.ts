import * as z from 'zod/mini';
import { status, tier } from '../terms/fields.ts';
import { anyStars, starsInCompartment, starsInWallet } from '../terms/stars.ts';

/** The answer of `GET /billing/balance`. */
export const balance = z
  .strictObject({
    monthly_stars: starsInCompartment(),
    pack_stars: starsInCompartment(),
    total_stars: starsInWallet().check(z.describe('In both compartments, held ones included.')),
    held_stars: starsInWallet().check(z.describe('Reserved by open holds.')),
    available_stars: starsInWallet().check(
      z.describe('What can be spent or held: all that are not held.'),
    ),
    owed_stars: starsInCompartment().check(
      z.describe('Taken back, but not there. Whatever gives stars pays them first.'),
    ),
    next_expiry: z
      .nullable(z.strictObject({ at: z.iso.datetime(), stars: starsInCompartment() }))
      .check(z.describe('The pack stars that expire next, those that are held left out.')),
    monthly_grant_stars: anyStars().check(
      z.describe('Granted for this period; between two periods, for the next.'),
    ),
    subscription: z.nullable(
      z.strictObject({
        tier: tier(),
        status: status(),
        current_period_end: z.iso.datetime().check(z.describe('Monthly stars lapse then.')),
      }),
    ),
    as_of: z.iso
      .datetime()
      .check(z.describe('When this was so: stars lapse, and holds expire, by the clock.')),
  })
  .check(z.meta({ id: 'Balance' }));
export type Balance = z.output<typeof balance>;

/** A time in milliseconds since the epoch, as the API tells it. */
export const iso = (time: number): string => new Date(time).toISOString();
