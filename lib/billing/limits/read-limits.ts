import type { Table } from '../../table/table.ts';
import { emptyCounter, spendCounterKind, toSpendCounter } from '../stored/limits/spend-counter.ts';
import { limitKey, limitKind, limitNamesOf, toSpendLimit } from '../stored/limits/spend-limit.ts';
import type { Wallet } from '../stored/wallet.ts';
import { type CounterName, counterKey } from '../terms/limit-terms.ts';
import { type Counting, neededCounters } from './counting.ts';
import { type LimitState, noLimits } from './limit-rules.ts';

/** The counters, and the limits that may hold for them: one request to the table, or none. */
export const readSpendCounters = async (
  table: Table<'GetItem'>,
  organizationId: string,
  names: readonly CounterName[],
): Promise<LimitState> => {
  if (names.length === 0) return noLimits;
  const counters = [...new Map(names.map((one) => [counterKey(one), one])).values()];
  const limits = [
    ...new Map(counters.flatMap(limitNamesOf).map((one) => [limitKey(one), one])).values(),
  ];
  const [storedCounters, storedLimits] = await Promise.all([
    table.getAll(counters.map((one) => spendCounterKind.key({ organizationId, ...one }))),
    table.getAll(limits.map((one) => limitKind.key({ organizationId, ...one }))),
  ]);
  return {
    counters: new Map(
      counters.map((one, i) => {
        const item = storedCounters[i];
        return [counterKey(one), item ? toSpendCounter(item) : emptyCounter];
      }),
    ),
    limits: new Map(
      limits.flatMap((one, i) => {
        const item = storedLimits[i];
        return item ? [[limitKey(one), toSpendLimit(item)]] : [];
      }),
    ),
  };
};

/** What has to be known of limits to count this: nothing is read where nothing counts. */
export const readLimits = (
  table: Table<'GetItem'>,
  organizationId: string,
  wallet: Pick<Wallet, 'limits'>,
  countings: readonly Counting[],
): Promise<LimitState> =>
  readSpendCounters(
    table,
    organizationId,
    countings.flatMap((one) => neededCounters(wallet, one)),
  );
