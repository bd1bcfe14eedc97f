import * as z from 'zod/mini';
import { walletKey } from '../table/keys.ts';
import type { Item } from '../table/table.ts';
import { status, tier } from './fields.ts';
import { assertWallet } from './invariants.ts';
import { anyStars, mostInCompartment, starsInCompartment } from './stars.ts';

/** The answer of `GET /billing/balance`. */
export const balance = z
  .strictObject({
    monthly_stars: starsInCompartment(),
    pack_stars: starsInCompartment(),
    total_stars: z.int().check(z.nonnegative(), z.lte(2 * mostInCompartment)),
    monthly_grant_stars: anyStars().check(z.describe('Granted for each period.')),
    subscription: z.nullable(
      z.strictObject({
        tier: tier(),
        status: status(),
        current_period_end: z.iso.datetime().check(z.describe('Monthly stars lapse then.')),
      }),
    ),
    as_of: z.iso
      .datetime()
      .check(z.describe('When this was so: monthly stars lapse by the clock.')),
  })
  .check(z.meta({ id: 'Balance' }));
export type Balance = z.output<typeof balance>;

export interface Subscription {
  tier: string;
  status: string;
  /** Milliseconds since the epoch; monthly stars lapse at this moment. */
  current_period_end: number;
}

export interface Wallet {
  /** The number of ledger entries that made this wallet. */
  version: number;
  /** As granted and spent; see `monthlyStars` for what still counts. */
  monthly_stars: number;
  pack_stars: number;
  /** Of the current period. */
  monthly_grant_stars: number;
  /** Of the periods after it, since it was changed within this one. */
  next_grant_stars?: number | undefined;
  subscription?: Subscription | undefined;
}

/** Throws `WalletInvariant` for what can't be a wallet. */
export const toWallet = ({ pk: _pk, sk: _sk, ...item }: Item): Wallet => {
  const wallet = item as unknown as Wallet;
  assertWallet(wallet);
  return wallet;
};

export const walletItem = (organizationId: string, wallet: Wallet): Item => ({
  ...walletKey(organizationId),
  ...wallet,
});

/** Whether monthly stars count: there is a period, and it has not ended. */
export const inPeriod = ({ subscription }: Wallet, now: number): boolean =>
  subscription !== undefined && now < subscription.current_period_end;

/** Monthly stars count until their period ends, whether or not any job has run since. */
export const monthlyStars = (wallet: Wallet, now: number): number =>
  inPeriod(wallet, now) ? wallet.monthly_stars : 0;

export const toBalance = (wallet: Wallet, now: number): Balance => {
  const monthly_stars = monthlyStars(wallet, now);
  const { pack_stars, monthly_grant_stars, subscription } = wallet;
  return {
    monthly_stars,
    pack_stars,
    total_stars: monthly_stars + pack_stars,
    monthly_grant_stars,
    subscription: subscription
      ? {
          tier: subscription.tier,
          status: subscription.status,
          current_period_end: new Date(subscription.current_period_end).toISOString(),
        }
      : null,
    as_of: new Date(now).toISOString(),
  };
};
