import { walletKey } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Write } from '../table/table.ts';
import { mostInCompartment } from './stars.ts';

/** Times are milliseconds since the epoch. */
export interface Subscription {
  /** Billing's own id, where it told one. */
  id?: string | undefined;
  tier: string;
  status: string;
  /** Monthly stars lapse at this moment. The end of the last period that was granted: it never goes back. */
  current_period_end: number;
  /** When it started, and when the last event about it occurred, where billing told. */
  started_at?: number | undefined;
  occurred_at?: number | undefined;
  /** When billing last told its status, its tier and its grant. A renewal never tells the tier, a change never the status. */
  status_at?: number | undefined;
  tier_at?: number | undefined;
  grant_at?: number | undefined;
}

/** Pack stars that expire together. */
export interface Pack {
  expires_at: number;
  /** Those that are held included. */
  stars: number;
  held: number;
}

/** A wallet as it is stored: what lapses by the clock is still in it until the next entry writes it off. */
export interface Wallet {
  /** The number of ledger entries that made this wallet. */
  version: number;
  /** When it was made. */
  opened_at: number;
  /** When its last entry was made: the times of entries never go back. */
  at: number;
  /** Those that are held included, also those of periods that have ended since. */
  monthly_stars: number;
  /** Those that are held included, also those of packs that have expired since. */
  pack_stars: number;
  /** Of the pack stars, those that expire: the soonest first, each expiry once. */
  packs: readonly Pack[];
  /** How many stars of each compartment open holds have. */
  held: { monthly: number; pack: number };
  open_holds: number;
  /** No open hold expires before this; undefined where there is none. */
  next_hold_expiry?: number | undefined;
  /** The grant of the current period. */
  monthly_grant_stars: number;
  /** The grant of later periods, where it was changed within this one. */
  next_grant_stars?: number | undefined;
  subscription?: Subscription | undefined;
  /** Ids of subscriptions that another one has replaced, the last first. */
  former_subscriptions: readonly string[];
  /** The numbers of available stars that `stars.low` tells of, the greatest first. */
  thresholds: readonly number[];
  /** How often they were changed. */
  thresholds_version: number;
}

/** A wallet to which nothing has happened. */
export const emptyWallet: Wallet = {
  version: 0,
  opened_at: 0,
  at: 0,
  monthly_stars: 0,
  pack_stars: 0,
  packs: [],
  held: { monthly: 0, pack: 0 },
  open_holds: 0,
  monthly_grant_stars: 0,
  former_subscriptions: [],
  thresholds: [],
  thresholds_version: 0,
};

/**
 * What is stored is what no sequence of events makes: a mistake of ours, or a change past the service.
 * An alarm counts it by its name in the logs.
 */
export class WalletInvariant extends Error {
  override name = 'wallet_invariant';
}

/** Refuses a wallet with a number of stars that there can't be: nothing is answered or decided by it. */
export const assertWallet = (wallet: Wallet): void => {
  const { version, monthly_stars, pack_stars, monthly_grant_stars, open_holds, held, packs } =
    wallet;
  const numbers = {
    version,
    monthly_stars,
    pack_stars,
    monthly_grant_stars,
    open_holds,
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
};

/** The wallet that is stored. Throws `WalletInvariant` for what can't be a wallet. */
export const toWallet = (item: Item): Wallet => {
  const { pk: _pk, sk: _sk, ...fields } = item;
  const wallet = fields as unknown as Wallet;
  assertWallet(wallet);
  return wallet;
};

export const walletItem = (organizationId: string, wallet: Wallet): Item => ({
  ...walletKey(organizationId),
  ...wallet,
});

/** Replaces the version that the update was decided on. Refused with `write_conflict` if another is there. */
export const putWallet = (
  organizationId: string,
  wallet: Wallet,
  { version, thresholds_version }: Wallet,
): Write<'PutItem'> => ({
  Put: {
    Item: walletItem(organizationId, wallet),
    ConditionExpression:
      '#version = :version AND (attribute_not_exists(thresholds_version) OR thresholds_version = :thresholds)',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version, ':thresholds': thresholds_version },
  },
  refused: () => new ConflictError(),
});

/** The wallet's time: that of the clock, but never before its last entry. Clocks of functions differ. */
export const timeOf = ({ at }: Wallet, now: number): number => Math.max(at, now);

/** The time of a wallet that is stored. Throws `WalletInvariant`. */
export const walletTime = (item: Item | undefined, clock: number): number =>
  item ? timeOf(toWallet(item), clock) : clock;

/** Whether monthly stars count: there is a period, and it has not ended. */
export const inPeriod = ({ subscription }: Wallet, now: number): boolean =>
  subscription !== undefined && now < subscription.current_period_end;

/** The grant of later periods, as it was told last. */
export const nextGrant = ({ next_grant_stars, monthly_grant_stars }: Wallet): number =>
  next_grant_stars ?? monthly_grant_stars;

export const heldStars = ({ held }: Wallet): number => held.monthly + held.pack;

/** The stars that no hold has, as the last entry left them. */
export const availableStars = (wallet: Wallet): number =>
  wallet.monthly_stars + wallet.pack_stars - heldStars(wallet);
