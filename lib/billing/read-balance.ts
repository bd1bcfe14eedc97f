import { ApiError, invalid } from '../errors/errors.ts';
import type { Table } from '../table/table.ts';
import { findLastEntry } from './find-entry.ts';
import { toBalance } from './rules/balance.ts';
import { passTime } from './rules/step.ts';
import type { Balance } from './stored/balance.ts';
import { readOpenHolds } from './stored/open-hold.ts';
import { walletAfter } from './stored/stored-entry.ts';
import { emptyWallet, timeOf, toWallet, type Wallet, walletKind } from './stored/wallet.ts';

type ReadingTable = Table<'GetItem' | 'Query'>;

/** How often the wallet is read again at most, where others write off its holds at the same moment. */
const mostReadings = 10;

/**
 * The balance now, or at a moment in the past: what was answered then is answered again. Throws
 * `invalid_request` for the future, and for a moment before the wallet was made.
 */
export const readBalance = async (
  table: ReadingTable,
  organizationId: string,
  now: number,
  at?: number,
): Promise<Balance> => {
  if (at !== undefined && at > now) throw invalid('at', 'must not be in the future');
  let wallet = await readWallet(table, organizationId);
  if (at !== undefined && at < wallet.at) return balanceBefore(table, organizationId, wallet, at);
  for (let readings = 1; readings <= mostReadings; readings++) {
    const then = at ?? timeOf(wallet, now);
    if (then < (wallet.next_hold_expiry ?? Number.POSITIVE_INFINITY))
      return toBalance(wallet, then);
    const expired = await readOpenHolds(table, organizationId, { expiredBy: then });
    const latest = await readWallet(table, organizationId);
    // The wallet and its holds are read one after the other: they fit only if nothing happened in between.
    if (latest.version === wallet.version) {
      return toBalance(passTime(wallet, { expired }, then).at(-1)?.wallet ?? wallet, then);
    }
    wallet = latest;
    if (at !== undefined && at < wallet.at) return balanceBefore(table, organizationId, wallet, at);
  }
  throw new ApiError('unavailable', { cause: new Error('the wallet kept changing') });
};

export const readWallet = async (
  table: Table<'GetItem'>,
  organizationId: string,
): Promise<Wallet> => {
  // Consistent, so that whoever has just spent stars does not see them again.
  const item = await table.get(walletKind.key({ organizationId }));
  if (!item) throw new ApiError('internal', { cause: new Error('organization has no wallet') });
  return toWallet(item);
};

/** The balance at a moment before the wallet's last entry. The entry before that moment has the wallet as it was. */
const balanceBefore = async (
  table: ReadingTable,
  organizationId: string,
  { version, opened_at }: Wallet,
  at: number,
): Promise<Balance> => {
  const { item } = await findLastEntry(table, organizationId, version, at);
  if (item) return toBalance(walletAfter(item), at);
  // Nothing had happened to it yet.
  if (at >= opened_at) return toBalance(emptyWallet, at);
  throw invalid('at', 'must not be before the wallet was made');
};
