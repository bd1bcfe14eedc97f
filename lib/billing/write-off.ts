import { walletKey } from '../table/keys.ts';
import type { Table, Write } from '../table/table.ts';
import { deleteOpenHold, expire, readOpenHolds } from './holds/open-holds.ts';
import { putLedgerEntry } from './stored-entry.ts';
import { putWallet, toWallet, type Wallet } from './wallet.ts';

type WriteOffTable = Table<'GetItem' | 'Query' | 'PutItem' | 'DeleteItem'>;

/** The most writes of one transaction. */
export const mostWrites = 100;
/** The fewest that an expired hold takes. */
const writesOfHold = 2;

/**
 * The wallet, if no open hold has expired. Else this writes off as many expired holds as fit into a
 * transaction, and returns undefined: the wallet has to be read again.
 */
export const withoutExpired = async (
  table: WriteOffTable,
  organizationId: string,
  wallet: Wallet,
  now: number,
): Promise<Wallet | undefined> => {
  const { next_hold_expiry = Number.POSITIVE_INFINITY } = wallet;
  if (now < next_hold_expiry) return wallet;
  const holds = await readOpenHolds(table, organizationId, { limit: mostWrites / writesOfHold });
  const expired = holds
    .filter(({ expires_at }) => expires_at <= now)
    .slice(0, mostWrites / writesOfHold - 1);
  if (expired.length > 0) {
    await writeOff(table, organizationId, wallet, expired, holds[expired.length]?.expires_at);
    return undefined;
  }
  // Those that had expired may have been written off between the two readings.
  const [latest] = await table.getAll([walletKey(organizationId)]);
  if (!latest || toWallet(latest).version !== wallet.version) return undefined;
  return { ...wallet, next_hold_expiry: holds[0]?.expires_at };
};

const writeOff = async (
  table: WriteOffTable,
  organizationId: string,
  wallet: Wallet,
  holds: Parameters<typeof expire>[1],
  next: number | undefined,
): Promise<void> => {
  const writes: Write<'PutItem' | 'DeleteItem'>[] = [];
  let after = wallet;
  for (const [i, step] of expire(wallet, holds, next).entries()) {
    const { expires_at, hold_id } = holds[i]!;
    const ofStep = [
      deleteOpenHold(organizationId, expires_at, hold_id),
      ...putLedgerEntry(organizationId, step),
    ];
    // One is the wallet's own.
    if (writes.length + ofStep.length + 1 > mostWrites) break;
    writes.push(...ofStep);
    after = step.wallet;
  }
  await table.transact([putWallet(organizationId, after, wallet), ...writes], {
    retryConflicts: false,
  });
};
