import * as z from 'zod/mini';
import { orderFields } from '../table/field-order.ts';
import { status, tier } from './fields.ts';
import { lapse } from './rules/compartments.ts';
import { anyStars, starsInCompartment, starsInWallet } from './stars.ts';
import { heldStars, timeOf, type Wallet } from './wallet.ts';

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

/** The wallet must have no expired hold: see `readBalance`. */
export const toBalance = (wallet: Wallet, clock: number): Balance => {
  const now = timeOf(wallet, clock);
  const { current } = lapse(wallet, now);
  const { monthly_stars, pack_stars, monthly_grant_stars, subscription } = current;
  const total_stars = monthly_stars + pack_stars;
  const held_stars = heldStars(current);
  const next = current.packs.find(({ stars, held }) => stars > held);
  return {
    monthly_stars,
    pack_stars,
    total_stars,
    held_stars,
    available_stars: total_stars - held_stars,
    next_expiry: next ? { at: iso(next.expires_at), stars: next.stars - next.held } : null,
    monthly_grant_stars,
    subscription: subscription
      ? {
          tier: subscription.tier,
          status: subscription.status,
          current_period_end: iso(subscription.current_period_end),
        }
      : null,
    as_of: iso(now),
  };
};

/** A balance that was answered before. */
export const parseBalance = (text: unknown): Balance =>
  orderFields(balance, JSON.parse(text as string));
