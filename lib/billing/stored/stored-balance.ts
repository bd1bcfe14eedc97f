import * as z from 'zod/mini';
import { type Balance, balance, iso } from './balance.ts';

const stars = z.number();
/** In milliseconds since the epoch. */
const time = z.number();
const starsAt = z.nullable(z.tuple([time, stars]));

const values = z.tuple([
  stars,
  stars,
  stars,
  stars,
  stars,
  z.nullable(time),
  starsAt,
  starsAt,
  z.nullable(z.tuple([z.string(), z.string(), time])),
  time,
]);

/** A balance as it was answered, as a list without names: so a record with two balances has less than 1 KB. */
export const storedBalance = z.codec(values, balance, {
  encode: ({ next_expiry, next_grant, subscription, ...one }): z.output<typeof values> => [
    one.monthly_stars,
    one.pack_stars,
    one.held_stars,
    one.owed_stars,
    one.monthly_grant_stars,
    one.monthly_lapse_at === null ? null : Date.parse(one.monthly_lapse_at),
    next_expiry && [Date.parse(next_expiry.at), next_expiry.stars],
    next_grant && [Date.parse(next_grant.at), next_grant.stars],
    subscription && [
      subscription.tier,
      subscription.status,
      Date.parse(subscription.current_period_end),
    ],
    Date.parse(one.as_of),
  ],
  decode: ([
    monthly,
    pack,
    held,
    owed,
    grant,
    lapse_at,
    expiry,
    next,
    subscription,
    at,
  ]): Balance => ({
    monthly_stars: monthly,
    pack_stars: pack,
    total_stars: monthly + pack,
    held_stars: held,
    available_stars: monthly + pack - held,
    owed_stars: owed,
    next_expiry: expiry && { at: iso(expiry[0]), stars: expiry[1] },
    monthly_grant_stars: grant,
    monthly_lapse_at: lapse_at === null ? null : iso(lapse_at),
    next_grant: next && { at: iso(next[0]), stars: next[1] },
    subscription: subscription && {
      tier: subscription[0],
      status: subscription[1],
      current_period_end: iso(subscription[2]),
    },
    as_of: iso(at),
  }),
});
