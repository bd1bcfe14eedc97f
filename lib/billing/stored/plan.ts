import * as z from 'zod/mini';
import { currency, text } from '../../schema/fields.ts';
import { places } from '../../table/keys.ts';
import { type ItemOf, Kind } from '../../table/kind.ts';
import { planTier, priceId } from '../terms/fields.ts';
import { anyStars } from '../terms/stars.ts';
import { refuseStored } from './wallet-invariant.ts';

const fields = {
  name: text(100),
  monthly_grant_stars: anyStars(),
  price_cents: z.int().check(z.nonnegative()),
  currency: currency(),
  /** The prices of Stripe that sell the plan. */
  stripe_prices: z._default(
    z.array(priceId()).check(
      z.maxLength(20),
      z.refine((prices) => new Set(prices).size === prices.length, {
        error: 'must name each price once',
      }),
    ),
    [],
  ),
  /** Stars of the plan's trial, once for each organization. */
  trial_stars: z._default(anyStars(), 0),
};

/** A plan without its tier. */
export const planInput = z.strictObject(fields).check(z.meta({ id: 'PlanInput' }));

/** A plan that can be subscribed to, the same for all organizations of a deployment. */
export const plan = z.strictObject({ tier: planTier(), ...fields }).check(z.meta({ id: 'Plan' }));
export type Plan = z.output<typeof plan>;

export const planKind = new Kind(places.plan, {
  holds: 'the plans',
  attributes: z.object({ ...plan.shape, version: z.int() }),
  refuse: refuseStored,
});

/** The plan that a price of Stripe sells. */
export const priceKind = new Kind(places.price, {
  holds: 'the plan that a price of Stripe sells',
  attributes: z.object({ tier: z.string() }),
  refuse: refuseStored,
});

export const toPlan = ({ pk, sk, version, ...one }: ItemOf<typeof planKind>): Plan => one;
