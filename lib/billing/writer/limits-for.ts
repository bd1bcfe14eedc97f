import type { Table } from '../../table/table.ts';
import { type Counting, countingOf } from '../limits/counting.ts';
import type { LimitState } from '../limits/limit-rules.ts';
import { readLimits } from '../limits/read-limits.ts';
import type { Wallet } from '../stored/wallet.ts';
import { causeOf } from './by-record.ts';
import { type Found, readsOf } from './reads.ts';
import type { WalletUpdate } from './wallet-update.ts';

/** What these updates count, as far as it is known before they are decided; nothing of those that can't be made. */
const countingFor = (update: WalletUpdate, { records }: Found): Counting[] => {
  const { record: id, target = '' } = readsOf(update.cause);
  const record = records.get(id);
  try {
    const related = { hold: record?.hold, spend: records.get(target)?.spend };
    return [countingOf(causeOf(update, record), related)].flatMap((one) => one ?? []);
  } catch {
    return [];
  }
};

/** The limits and counters of these updates, in one request after the wallet was read; in none where nothing counts. */
export const limitsFor = (
  table: Table<'GetItem'>,
  organizationId: string,
  updates: readonly WalletUpdate[],
  found: Found & { wallet: Wallet },
): Promise<LimitState> =>
  readLimits(
    table,
    organizationId,
    found.wallet,
    updates.flatMap((update) => countingFor(update, found)),
  );
