import type { WalletChange } from '../writer/change-wallet.ts';
import { holdRecordOf } from './hold.ts';

/** Changes of holds by a caller with a spender of its own, if any: `not_found` for holds of others. */
export const toOwnHolds = <T>(
  change: WalletChange<T>,
  own: string | undefined,
): WalletChange<T> => ({
  ...change,
  updates: change.updates.map((update) => ({
    ...update,
    outcomeOf(record, now) {
      holdRecordOf(record, own);
      return update.outcomeOf(record, now);
    },
  })),
});
