import type { Table } from '../../table/table.ts';
import type { WalletStep } from '../rules/step.ts';
import type { OpenHold } from '../stored/open-hold.ts';
import type { Wallet } from '../stored/wallet.ts';
import { countStep } from './counted-step.ts';
import { countersOf } from './counting.ts';
import { type LimitState, stateAfter } from './limit-rules.ts';
import { readSpendCounters } from './read-limits.ts';

/** The counters of holds that have expired: one request to the table, or none where no limit counted these. */
export const readExpired = (
  table: Table<'GetItem'>,
  organizationId: string,
  holds: readonly OpenHold[],
): Promise<LimitState> =>
  readSpendCounters(
    table,
    organizationId,
    holds.flatMap((hold) => (hold.counted ?? []).flatMap((piece) => countersOf(piece, hold))),
  );

/** What the clock has done, with what that counts: stars of expired holds come back. */
export const countExpired = (
  state: LimitState,
  before: Wallet,
  steps: readonly WalletStep[],
): WalletStep[] => {
  let [limits, wallet] = [state, before];
  return steps.map((step) => {
    const { expired } = step;
    const cause = { type: 'hold.expired', event_id: expired?.hold_id ?? '' } as const;
    const counted = expired ? countStep(step, cause, { wallet, limits }, step.wallet.at) : step;
    if ('reached' in counted) throw new Error('stars that come back reach no limit');
    if (counted.counters) limits = stateAfter(limits, counted.counters);
    wallet = counted.wallet;
    return counted;
  });
};
