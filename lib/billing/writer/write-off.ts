import { countExpired, readExpired } from '../limits/expired-holds.ts';
import { nextTick } from '../rules/compartments.ts';
import { passTime } from '../rules/step.ts';
import { readOpenHolds } from '../stored/open-hold.ts';
import { type Wallet, walletKind } from '../stored/wallet.ts';
import type { WalletTable } from './wallet-table.ts';
import { mostItems, writesOf } from './writes.ts';

/** The most holds that a transaction writes off: each takes two items at least. */
const mostHolds = mostItems / 2 - 1;

/**
 * Writes down what the clock has done to a wallet since its last entry, as far as it fits into a transaction, and returns
 * undefined: then all has to be read again. Returns the wallet if there is nothing to write.
 */
export const writeOff = async (
  table: WalletTable,
  organizationId: string,
  wallet: Wallet,
  now: number,
): Promise<Wallet | undefined> => {
  const { next_hold_expiry = Number.POSITIVE_INFINITY } = wallet;
  const isHoldDue = now >= next_hold_expiry;
  if (!isHoldDue && now < (nextTick(wallet)?.at ?? Number.POSITIVE_INFINITY)) return wallet;
  const holds = isHoldDue
    ? await readOpenHolds(table, organizationId, { limit: mostHolds + 1 })
    : [];
  const expired = holds.filter(({ expires_at }) => expires_at <= now).slice(0, mostHolds);
  const next = isHoldDue ? holds[expired.length]?.expires_at : wallet.next_hold_expiry;
  const passed = passTime(wallet, { expired, next }, Math.min(now, next ?? now));
  const steps = countExpired(await readExpired(table, organizationId, expired), wallet, passed);
  if (steps.length > 0) {
    const writes = () => writesOf(organizationId, wallet, new Map(), steps);
    while (writes().length > mostItems) steps.pop();
    await table.commit(writes(), { retryConflicts: false });
    return undefined;
  }
  // The expired holds may have been written off between the two readings.
  const latest = await table.get(walletKind.key({ organizationId }));
  if (latest?.version !== wallet.version) return undefined;
  return { ...wallet, next_hold_expiry: holds[0]?.expires_at };
};
