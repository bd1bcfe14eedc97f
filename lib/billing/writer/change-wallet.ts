import { ApiError, invalid } from '../../errors/errors.ts';
import { organizationKind } from '../../organizations/organization.ts';
import { ConflictError, isWriteConflict, retry } from '../../table/retry.ts';
import { isCrowded, timeOf } from '../stored/wallet.ts';
import { WalletInvariant } from '../stored/wallet-invariant.ts';
import { answer } from './answer.ts';
import { type Made, resultByRecord, type UpdateResult } from './decisions.ts';
import { decideFitting, stepsOf } from './fitting.ts';
import { limitsFor } from './limits-for.ts';
import { readFor, readsOf } from './reads.ts';
import { logUnserved } from './unserved.ts';
import { hasTimeToWait, waitForTurn } from './waiting/wait.ts';
import type { WalletTable } from './wallet-table.ts';
import type { WalletChange, WalletUpdate } from './wallet-update.ts';
import { writeOff } from './write-off.ts';
import { mostItems } from './writes.ts';

/** The most updates that are read and decided together: each writes two items at least, and the wallet is one more. */
const mostUpdates = Math.floor((mostItems - 1) / 2);

/**
 * Makes one update: wallet, ledger entry and record in one transaction, once. Throws `too_late`, the errors of refusals, and
 * `invalid_request` for an unknown organization.
 */
export const changeWallet = async (table: WalletTable, change: WalletChange): Promise<Made> => {
  const [result] = await changeWalletInBatch(table, change);
  if (result && 'record' in result) return result;
  throw result?.error;
};

/**
 * Makes updates, each once, as if one after another, but in as few transactions as they fit into. Each has a result of its
 * own, in their order. Who loses a race reads again and retries until the table's deadline; then it is `write_conflict`. If
 * the time is up or the table fails, that is the result of those that are left.
 */
export const changeWalletInBatch = async (
  table: WalletTable,
  { organizationId, updates, found }: WalletChange,
): Promise<UpdateResult[]> => {
  const results: UpdateResult[] = [];
  const asked = [...updates];
  let given = found;
  const makeNext = () => {
    const next = asked.slice(results.length, results.length + mostUpdates);
    const change = { organizationId, updates: next, found: given };
    given = undefined;
    return makeSome(table, change, (waited) =>
      asked.splice(results.length, waited.length, ...waited),
    );
  };
  try {
    for (let isFirst = true; results.length < updates.length; isFirst = false) {
      if (!isFirst && Date.now() > table.deadline) throw new ApiError('timeout');
      results.push(...(await retry(table, makeNext, isWriteConflict)));
    }
    return results;
  } catch (error) {
    return [...results, ...updates.slice(results.length).map(() => ({ error }))];
  }
};

/**
 * Reads, decides, writes and answers. Returns the results of the first of these updates, as many as one transaction has
 * room for; or none, if it first had to write down what the clock has done. Who loses the race for the wallet leaves a waiting
 * request. Throws `ConflictError` if all has to be read anew.
 */
const makeSome = async (
  table: WalletTable,
  { organizationId, updates, found: given }: WalletChange,
  onWaited: (updates: readonly WalletUpdate[]) => void,
): Promise<UpdateResult[]> => {
  // Read: wallet, records, and what some causes need beside.
  const reads = updates.map(({ cause }) => readsOf(cause));
  const found = given ?? (await readFor(table, organizationId, reads));
  const now = timeOf(found.wallet ?? { at: 0 }, Date.now());
  // A repeat is answered by its record, whatever has become of the wallet.
  const known = updates.map((update, i) =>
    resultByRecord(update, found.records.get(reads[i]!.record), now),
  );
  if (known.every((result) => result !== undefined)) return known;
  if (!found.wallet) {
    const error = (await table.get(organizationKind.key({ organizationId })))
      ? new ApiError('internal', { cause: new WalletInvariant('the organization has no wallet') })
      : invalid('organization_id', 'is not an organization');
    return known.map((result) => result ?? { error });
  }
  const wallet = await writeOff(table, organizationId, found.wallet, now);
  if (!wallet) return [];

  // Decide.
  const limits = await limitsFor(table, organizationId, updates, { ...found, wallet });
  const before = { ...found, wallet, limits };
  const { decisions, writes } = decideFitting(organizationId, updates, before, now);
  const waitsAtOnce = writes.length > 0 && isCrowded(wallet, now) && hasTimeToWait(table);

  // Write, and meanwhile look whether an answer is still true.
  if (!waitsAtOnce) {
    try {
      const [results] = await Promise.all([
        answer(table, organizationId, decisions, now),
        writes.length > 0 && table.commit(writes, { retryConflicts: false }),
      ]);
      logUnserved(organizationId, stepsOf(decisions));
      return results;
    } catch (error) {
      if (!isWriteConflict(error) || !hasTimeToWait(table)) throw error;
    }
  }
  const waiting = decisions.map(({ update }) => update);
  const { updates: waited, results } = await waitForTurn(table, organizationId, waiting, {
    looksAtOnce: !waitsAtOnce,
    writes,
  });
  if (results) return results;
  onWaited(waited);
  throw new ConflictError();
};
