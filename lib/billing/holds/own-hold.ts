import type { WalletChange } from '../writer/change-wallet.ts';
import { holdGuardOf } from './hold.ts';

/** Changes of holds by a caller with a spender of its own, if any: `not_found` for holds of others. */
export const toOwnHolds = <T>(
  change: WalletChange<T>,
  own: string | undefined,
): WalletChange<T> => ({
  ...change,
  updates: change.updates.map((update) => ({
    ...update,
    outcomeOf(guard, now) {
      holdGuardOf(guard, own);
      return update.outcomeOf(guard, now);
    },
  })),
});
