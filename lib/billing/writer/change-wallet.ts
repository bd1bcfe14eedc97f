import { ApiError, invalid } from '../../errors/errors.ts';
import { organizationKind } from '../../organizations/organization.ts';
import { isWriteConflict, retry } from '../../table/retry.ts';
import { eventRecordKind } from '../stored/event-record.ts';
import { timeOf } from '../stored/wallet.ts';
import { WalletInvariant } from '../stored/wallet-invariant.ts';
import {
  type Decision,
  decide,
  type FoundWallet,
  type Made,
  resultByRecord,
  type UpdateResult,
} from './decisions.ts';
import { readFor, readsOf } from './reads.ts';
import { logUnserved } from './unserved.ts';
import type { WalletTable } from './wallet-table.ts';
import type { WalletChange, WalletUpdate } from './wallet-update.ts';
import { writeOff } from './write-off.ts';
import { mostItems, writesOf } from './writes.ts';

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
  let given = found;
  const makeNext = () => {
    const next = updates.slice(results.length, results.length + mostUpdates);
    const change = { organizationId, updates: next, found: given };
    given = undefined;
    return makeSome(table, change);
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
 * room for; or none, if it first had to write down what the clock has done. Throws `ConflictError` if another came between.
 */
const makeSome = async (
  table: WalletTable,
  { organizationId, updates, found: given }: WalletChange,
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
  const { decisions, writes } = decideSome(organizationId, updates, { ...found, wallet }, now);

  // Write, and meanwhile look whether an answer is still true.
  const [results] = await Promise.all([
    answer(table, organizationId, decisions, now),
    writes.length > 0 && table.commit(writes, { retryConflicts: false }),
  ]);
  logUnserved(
    organizationId,
    decisions.flatMap(({ step }) => step ?? []),
  );
  return results;
};

/** What is decided of the first of these updates, and the writes of that: as many as one transaction has room for. */
const decideSome = (
  organizationId: string,
  updates: readonly WalletUpdate[],
  found: FoundWallet,
  now: number,
) => {
  const decisions = decide(updates, found, now);
  for (;;) {
    const steps = decisions.flatMap(({ step }) => step ?? []);
    const writes = writesOf(organizationId, found.wallet, found.records, steps);
    if (writes.length <= mostItems) return { decisions, writes };
    decisions.pop();
  }
};

/**
 * The results. Of an update that the wallet refuses, the record is read again: another try of it may have been made after the
 * record was read and before the wallet was. One that is made later changes the wallet, so that these writes are refused.
 */
const answer = async (
  table: WalletTable,
  organizationId: string,
  decisions: readonly Decision[],
  now: number,
): Promise<UpdateResult[]> => {
  // What these decisions put under the same id, for another update, is no try of this one.
  const own = new Set(decisions.flatMap(({ step }) => step?.entry.event_id ?? []));
  const keys = decisions.map(({ update: { cause }, isRefusedByWallet }) =>
    isRefusedByWallet && !own.has(cause.event_id)
      ? eventRecordKind.key({ organizationId, eventId: cause.event_id })
      : undefined,
  );
  const records = await table.getAll(keys);
  return decisions.map(({ update, result }, i) => {
    const record = records[i];
    return (record && resultByRecord(update, record, now)) ?? result;
  });
};
