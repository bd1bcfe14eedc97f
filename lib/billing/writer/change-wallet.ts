import { ApiError } from '../../errors/errors.ts';
import { ConflictError, isWriteConflict, retry } from '../../table/retry.ts';
import { isCrowded, timeOf } from '../stored/wallet.ts';
import { answer } from './answer.ts';
import { type Made, resultByRecord, type Tried, type UpdateResult } from './decisions.ts';
import { type Decided, decideFitting, stepsOf } from './fitting.ts';
import { limitsFor } from './limits-for.ts';
import { readFor, readsOf, toMissingError } from './reads.ts';
import { logUnserved } from './unserved.ts';
import { hasTimeToWait, waitForTurn } from './waiting/wait.ts';
import type { WalletTable } from './wallet-table.ts';
import type { WalletChange } from './wallet-update.ts';
import { writeOff } from './write-off.ts';
import { mostItems } from './writes.ts';

/** The most updates that are read and decided together: each writes two items at least, and the wallet is one more. */
const mostUpdates = Math.floor((mostItems - 1) / 2);

/**
 * Makes one update: wallet, ledger entry and record in one transaction, once, after what the clock has done. Throws
 * `too_late`, the errors of refusals, and `invalid_request` for an unknown organization.
 */
export const changeWallet = async (table: WalletTable, change: WalletChange): Promise<Made> => {
  const [result] = await changeWalletInBatch(table, change);
  if (result && 'record' in result) return result;
  throw result?.error;
};

/**
 * Makes updates, each once, as if one after another, but in as few transactions as they fit into. Results are in their order.
 * Who loses a race waits, or reads and decides anew, until the table's deadline. Those that are left then are `write_conflict`,
 * or `timeout` if they were not tried yet or nobody knows what became of them. If the table fails, they have its error.
 */
export const changeWalletInBatch = async (
  table: WalletTable,
  { organizationId, updates, found: firstFound }: WalletChange,
): Promise<UpdateResult[]> => {
  const asked = [...updates];
  const results: UpdateResult[] = [];
  let found = firstFound;
  const tryNext = async (): Promise<UpdateResult[]> => {
    const next = asked.slice(results.length, results.length + mostUpdates);
    const change = { organizationId, updates: next, found };
    // What was read before is old by the next try.
    found = undefined;
    const tried = await tryToMake(table, change);
    // Updates that waited have tickets now. By these the next try sees which of them others have carried out.
    asked.splice(results.length, tried.updates.length, ...tried.updates);
    if (!tried.results) throw new ConflictError();
    return tried.results;
  };
  try {
    for (let isFirst = true; results.length < updates.length; isFirst = false) {
      if (!isFirst && Date.now() > table.deadline) throw new ApiError('timeout');
      results.push(...(await retry(table, tryNext, isWriteConflict)));
    }
    return results;
  } catch (error) {
    return [...results, ...updates.slice(results.length).map(() => ({ error }))];
  }
};

/**
 * Reads, decides, writes and answers. The results are those of the first of these updates: as many as one transaction has room
 * for; none, where only what the clock has done was written. Who loses the race for the wallet waits until its request is
 * carried out; where that was not done whole, there are no results, and a conflict follows.
 */
const tryToMake = async (
  table: WalletTable,
  { organizationId, updates, found: readBefore }: WalletChange,
): Promise<Tried> => {
  // Read: wallet, records, and what some causes need beside.
  const reads = updates.map(({ cause }) => readsOf(cause));
  const found = readBefore ?? (await readFor(table, organizationId, reads));
  const now = timeOf(found.wallet ?? { at: 0 }, Date.now());
  // If all are repeats, or can't be by their records or by the spender of the caller's key, the wallet does not matter.
  const settled = updates.map((update, i) =>
    resultByRecord(update, found.records.get(reads[i]!.record), now),
  );
  if (settled.every((result) => result !== undefined)) return { updates, results: settled };
  if (!found.wallet) {
    const error = await toMissingError(table, organizationId);
    return { updates, results: settled.map((result) => result ?? { error }) };
  }
  const wallet = await writeOff(table, organizationId, found.wallet, now);
  if (!wallet) return { updates, results: [] };

  // Decide.
  const limits = await limitsFor(table, organizationId, updates, { ...found, wallet });
  const before = { ...found, wallet, limits };
  const decided = decideFitting(organizationId, updates, before, now);

  // Write and answer; or wait, in a crowd or after a lost race.
  const { decisions, writes } = decided;
  const waitsAtOnce = writes.length > 0 && isCrowded(wallet, now) && hasTimeToWait(table);
  const results = waitsAtOnce ? undefined : await tryToWrite(table, organizationId, decided, now);
  if (results) return { updates, results };
  const waiting = decisions.map(({ update }) => update);
  return waitForTurn(table, organizationId, waiting, { isCrowded: waitsAtOnce, writes });
};

/** Writes, and meanwhile reads what the answer needs. Undefined if another was faster, and there is time to wait. */
const tryToWrite = async (
  table: WalletTable,
  organizationId: string,
  { decisions, writes }: Decided,
  now: number,
): Promise<UpdateResult[] | undefined> => {
  try {
    const [results] = await Promise.all([
      answer(table, organizationId, decisions, now),
      // Sent again, they would be refused again: they stand on the wallet that another one has changed.
      writes.length > 0 && table.commit(writes, { retryConflicts: false }),
    ]);
    logUnserved(organizationId, stepsOf(decisions));
    return results;
  } catch (error) {
    if (isWriteConflict(error) && hasTimeToWait(table)) return undefined;
    throw error;
  }
};
