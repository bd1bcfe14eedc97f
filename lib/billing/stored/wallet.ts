import * as z from 'zod/mini';
import { places } from '../../table/keys.ts';
import { type ItemOf, Kind } from '../../table/kind.ts';
import type { TransactOptions } from '../../table/table.ts';
import { mostInCompartment } from '../terms/stars.ts';
import { storedMonth } from './months/month.ts';
import { storedLine } from './months/paid-line.ts';
import { refuseStored, WalletInvariant } from './wallet-invariant.ts';

/** Milliseconds since the epoch. */
const time = () => z.number();
const stars = () => z.number();

const subscription = z.object({
  /** Billing's own id, where it told one. */
  id: z.optional(z.string()),
  /** The plan that counts; undefined before the first one begins. */
  tier: z.optional(z.string()),
  status: z.string(),
  /** When billing last told the status, where it told that. */
  status_at: z.optional(time()),
  /** The last period to begin, as it was paid. Before any period, it begins at 0 and ends with the last line. */
  current_period_from: time(),
  current_period_end: time(),
  /** Minutes for which monthly stars stay after the last month that was paid. */
  grace_minutes: z.number(),
  /** What was paid and credited, until the month is over in which it ends. */
  lines: z.array(storedLine),
});
export type Subscription = z.output<typeof subscription>;

/** Pack stars that expire together. */
const pack = z.object({
  expires_at: time(),
  /** Stars of the pack, held ones included. */
  stars: stars(),
  held: stars(),
});
export type Pack = z.output<typeof pack>;

const fields = {
  /** The number of ledger entries that made this wallet. */
  version: z.number(),
  /** When the wallet was made. */
  opened_at: time(),
  /** When its last entry was made: the times of entries never go back. */
  at: time(),
  /** Monthly stars, held ones included, also those of months that have ended since. */
  monthly_stars: stars(),
  /** Stars of packs, held ones included, also those of packs that have expired since. */
  pack_stars: stars(),
  /** The pack stars that expire, and held ones that have expired: the soonest first, each expiry once. */
  packs: z.array(pack),
  /** How many stars of each compartment open holds have. */
  held: z.object({ monthly: stars(), pack: stars() }),
  /** The part of the held monthly stars that is of months before the one that runs. */
  held_of_earlier_months: stars(),
  open_holds: z.number(),
  /** Stars that were taken back and were not there. Whatever gives stars pays them first. */
  owed_stars: stars(),
  /** What all entries used, and gave back of that. */
  used: z.object({ spent_stars: stars(), refunded_stars: stars() }),
  /** No open hold expires before this; undefined where there is none. */
  next_hold_expiry: z.optional(time()),
  /** Held stars that are owed, as what paid for them was reversed: none is owed twice. */
  reversed_held: z.array(
    z.object({
      compartment: z.enum(['monthly', 'pack']),
      expires_at: z.optional(time()),
      stars: stars(),
    }),
  ),
  /** How many months have begun. Their times don't tell them apart: two may be paid from the same time on, one after the other. */
  months: z.number(),
  /** The month that runs, or the last one, whose stars have not lapsed. */
  month: z.optional(storedMonth),
  /** The grant of that month, as its lines are now. */
  monthly_grant_stars: stars(),
  /** When free monthly stars lapse, unless the next month begins first. */
  monthly_lapse_at: z.optional(time()),
  /** What the lines give when the next month begins. */
  next_grant: z.optional(z.object({ at: time(), stars: stars() })),
  subscription: z.optional(subscription),
  /** Whether a trial of Stripe has given stars: there is no second one. */
  had_trial: z.optional(z.literal(true)),
  /** Ids of subscriptions that another one has replaced, the last first. */
  former_subscriptions: z.array(z.string()),
  /** The numbers of available stars that `stars.low` tells of, the greatest first. */
  thresholds: z.array(stars()),
  /** How often the thresholds were changed: no version of the wallet says that. */
  alerts_version: z.number(),
  /** How often the limits of spends were changed: no version of the wallet says that, either. */
  limits_version: z.number(),
  /** How many limits there are for spenders, the default included, and for features. Where there is none, nothing is counted. */
  limits: z.optional(z.object({ spender: z.number(), feature: z.number() })),
  /** Until then many change the wallet at once: who does leaves a waiting request, without a race. */
  crowded_until: z.optional(time()),
};

/** A wallet as it is stored: what lapses by the clock is still in it until the next entry writes it off. */
export type Wallet = z.output<z.ZodMiniObject<typeof fields>>;

export const walletKind = new Kind(places.wallet, {
  holds: 'the wallet',
  hasFacts: true,
  attributes: z.object(fields),
  refuse: refuseStored,
});

/** The wallet that is stored. Throws `WalletInvariant` for what can't be a wallet. */
export const toWallet = ({ pk, sk, ...wallet }: ItemOf<typeof walletKind>): Wallet => {
  assertWallet(wallet);
  return wallet;
};

/** A subscription of which nothing is known yet. */
export const emptySubscription: Subscription = {
  status: 'active',
  current_period_from: 0,
  current_period_end: 0,
  grace_minutes: 0,
  lines: [],
};

/** A wallet to which nothing has happened. */
export const emptyWallet: Wallet = {
  version: 0,
  opened_at: 0,
  at: 0,
  monthly_stars: 0,
  pack_stars: 0,
  packs: [],
  held: { monthly: 0, pack: 0 },
  held_of_earlier_months: 0,
  open_holds: 0,
  owed_stars: 0,
  used: { spent_stars: 0, refunded_stars: 0 },
  reversed_held: [],
  months: 0,
  monthly_grant_stars: 0,
  former_subscriptions: [],
  thresholds: [],
  alerts_version: 0,
  limits_version: 0,
};

/** Refuses a wallet with a number of stars that there can't be: nothing is answered or decided by it. */
export const assertWallet = (wallet: Wallet): void => {
  const { version, monthly_stars, pack_stars, monthly_grant_stars, open_holds, held, packs } =
    wallet;
  const { owed_stars } = wallet;
  const numbers = {
    version,
    monthly_stars,
    pack_stars,
    monthly_grant_stars,
    open_holds,
    owed_stars,
    held_monthly_stars: held.monthly,
    held_pack_stars: held.pack,
    free_monthly_stars: monthly_stars - held.monthly,
    free_pack_stars: packs.reduce(
      (left, one) => left - one.stars + one.held,
      pack_stars - held.pack,
    ),
    ...Object.fromEntries(packs.map((one, i) => [`free_stars_of_pack_${i}`, one.stars - one.held])),
  };
  for (const [name, number] of Object.entries(numbers)) {
    if (Number.isInteger(number) && number >= 0 && number <= mostInCompartment) continue;
    throw new WalletInvariant(`${name} is ${number}`);
  }
  if (owed_stars > 0 && availableStars(wallet) > 0) {
    throw new WalletInvariant(`${owed_stars} are owed beside ${availableStars(wallet)} free ones`);
  }
};

/**
 * How settings that the wallet has are committed. In a crowd it is free for moments, again and again: whoever waits longer
 * misses them.
 */
export const settingTerms: TransactOptions = { longestWaitMs: 50 };

/** The wallet's time: that of the clock, but never before its last entry. Clocks of functions differ. */
export const timeOf = ({ at }: Pick<Wallet, 'at'>, now: number): number => Math.max(at, now);

/** Whether many change the wallet at once. */
export const isCrowded = ({ crowded_until = 0 }: Wallet, now: number): boolean =>
  now < crowded_until;

/** Whether monthly stars count: a month runs, or they have not lapsed since. */
export const isInMonth = ({ monthly_lapse_at, next_grant }: Wallet, now: number): boolean =>
  monthly_lapse_at !== undefined &&
  (now < monthly_lapse_at || (next_grant !== undefined && next_grant.at <= now));

export const heldStars = ({ held }: Wallet): number => held.monthly + held.pack;

/** The stars that no hold has, as the last entry left them. */
export const availableStars = (wallet: Wallet): number =>
  wallet.monthly_stars + wallet.pack_stars - heldStars(wallet);
