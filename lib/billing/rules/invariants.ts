import { isDeepStrictEqual } from 'node:util';
import { emptyEntry, type LedgerEntry, withUsed } from '../stored/ledger-entry.ts';
import { assertWallet, emptyWallet, type Wallet } from '../stored/wallet.ts';
import { WalletInvariant } from '../stored/wallet-invariant.ts';

/** Refuses entries, newest first, that do not follow from one another. */
export const assertChained = (entries: readonly LedgerEntry[]): void => {
  entries.forEach((entry, i) => {
    const before = entries[i + 1];
    if (before && !follows(entry, before)) {
      throw new WalletInvariant(`entry ${entry.version} does not follow ${before.version}`);
    }
  });
};

const follows = (entry: LedgerEntry, before: LedgerEntry): boolean =>
  entry.version === before.version + 1 &&
  entry.monthly_after === before.monthly_after - entry.monthly_lapsed + entry.monthly_change &&
  entry.pack_after === before.pack_after - entry.pack_lapsed + entry.pack_change &&
  entry.held_after === before.held_after + entry.held_change &&
  entry.owed_after === before.owed_after + entry.owed_change;

/** Refuses a wallet that is not what all of its entries, newest first, sum to. */
export const assertSum = (wallet: Wallet, entries: readonly LedgerEntry[]): void => {
  assertWallet(wallet);
  assertChained(entries);
  const used = entries.reduce(withUsed, emptyWallet.used);
  if (!isDeepStrictEqual(used, wallet.used)) {
    throw new WalletInvariant(
      `the wallet says that ${JSON.stringify(wallet.used)} was used, its entries ${JSON.stringify(used)}`,
    );
  }
  const last = entries[0] ?? { ...emptyEntry, version: 0 };
  const held = wallet.held.monthly + wallet.held.pack;
  if (
    entries.length !== wallet.version ||
    last.version !== wallet.version ||
    last.monthly_after !== wallet.monthly_stars ||
    last.pack_after !== wallet.pack_stars ||
    last.held_after !== held ||
    last.owed_after !== wallet.owed_stars
  ) {
    throw new WalletInvariant(
      `the wallet is at version ${wallet.version} with ${wallet.monthly_stars} monthly and ` +
        `${wallet.pack_stars} pack stars, ${held} of them held, ${wallet.owed_stars} owed; its ${entries.length} entries end ` +
        `at version ${last.version} with ${last.monthly_after}, ${last.pack_after}, ${last.held_after} and ${last.owed_after}`,
    );
  }
};
