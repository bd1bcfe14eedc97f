import { ApiError, invalid } from '../errors/errors.ts';
import type { Table } from '../table/table.ts';
import { findLastEntry } from './find-entry.ts';
import { toBalance } from './rules/balance.ts';
import { passTime, type WalletStep } from './rules/step.ts';
import type { Balance } from './stored/balance.ts';
import type { UsedStars } from './stored/ledger-entry.ts';
import { readOpenHolds } from './stored/open-hold.ts';
import { walletAfter } from './stored/stored-entry.ts';
import { emptyWallet, timeOf, toWallet, type Wallet, walletKind } from './stored/wallet.ts';
import { WalletInvariant } from './stored/wallet-invariant.ts';

type ReadingTable = Table<'GetItem' | 'Query'>;

/** How often the wallet is read again at most, where others write off its holds at the same moment. */
const mostReadings = 10;

/** A wallet that was read, and what the clock has done to it since its last entry, which nobody has written down yet. */
export interface WalletReading {
  wallet: Wallet;
  steps: readonly WalletStep[];
}

/**
 * The wallet, and what the clock does to it until a time: that of the wallet if it is later. Throws `unavailable` if the
 * wallet keeps changing.
 */
export const readUntil = async (
  table: ReadingTable,
  organizationId: string,
  time: number,
): Promise<WalletReading> => {
  let wallet = await readWallet(table, organizationId);
  for (let readings = 1; readings <= mostReadings; readings++) {
    if (time < wallet.at) return { wallet, steps: [] };
    if (time < (wallet.next_hold_expiry ?? Number.POSITIVE_INFINITY)) {
      return { wallet, steps: passTime(wallet, { expired: [] }, time) };
    }
    const expired = await readOpenHolds(table, organizationId, { expiredBy: time });
    const latest = await readWallet(table, organizationId);
    // The wallet and its holds are read one after the other: they fit only if nothing happened in between.
    if (latest.version === wallet.version) {
      return { wallet, steps: passTime(wallet, { expired }, time) };
    }
    wallet = latest;
  }
  throw new ApiError('unavailable', { cause: new Error('the wallet kept changing') });
};

/**
 * The balance now, or at a moment in the past: what was answered then is answered again. Throws
 * `invalid_request` for the future.
 */
export const readBalance = async (
  table: ReadingTable,
  organizationId: string,
  now: number,
  at?: number,
): Promise<Balance> => {
  if (at !== undefined && at > now) throw invalid('at', 'must not be in the future');
  const reading = await readUntil(table, organizationId, at ?? now);
  const time = at ?? timeOf(reading.wallet, now);
  return (await momentAt(table, organizationId, reading, time)).balance;
};

/** The wallet at a time: its balance, of 0 stars before the wallet was made, what was used until then, and its last written entry. */
export interface Moment {
  balance: Balance;
  used: UsedStars;
  /** 0 if there was none. */
  version: number;
}

/** The wallet at the time until which it was read, or earlier. */
export const momentAt = async (
  table: Table<'GetItem'>,
  organizationId: string,
  { wallet, steps }: WalletReading,
  time: number,
): Promise<Moment> => {
  if (time >= wallet.at) {
    const last = steps.findLast((step) => step.wallet.at <= time);
    return momentOf(last?.wallet ?? wallet, time, wallet.version);
  }
  if (time < wallet.opened_at) return momentOf(emptyWallet, time, 0);
  // The entry before that time has the wallet as it was; without one, nothing had happened to it yet.
  const { item, version } = await findLastEntry(table, organizationId, wallet.version, time);
  return momentOf(item ? walletAfter(item) : emptyWallet, time, version);
};

const momentOf = (wallet: Wallet, time: number, version: number): Moment => ({
  balance: toBalance(wallet, time),
  used: wallet.used,
  version,
});

export const readWallet = async (
  table: Table<'GetItem'>,
  organizationId: string,
): Promise<Wallet> => {
  // Consistent, so that whoever has just spent stars does not see them again.
  const item = await table.get(walletKind.key({ organizationId }));
  if (!item) {
    const cause = new WalletInvariant(`organization ${organizationId} has no wallet`);
    throw new ApiError('internal', { cause });
  }
  return toWallet(item);
};
