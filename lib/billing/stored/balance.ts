import * as z from 'zod/mini';
import { status, tier } from '../terms/fields.ts';
import { starsInCompartment, starsInWallet } from '../terms/stars.ts';

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
    monthly_grant_stars: starsInCompartment().check(
      z.describe('What the month that runs gives, as it is paid now; 0 between months.'),
    ),
    monthly_lapse_at: z
      .nullable(z.iso.datetime())
      .check(z.describe('When free monthly stars lapse; null where no month runs.')),
    next_grant: z
      .nullable(z.strictObject({ at: z.iso.datetime(), stars: starsInCompartment() }))
      .check(z.describe('What the next month gives that is paid already, and when.')),
    subscription: z.nullable(
      z.strictObject({
        tier: tier(),
        status: status(),
        current_period_end: z.iso
          .datetime()
          .check(z.describe('The end of the last period that was paid.')),
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
