import { ApiError, invalid } from '../../errors/errors.ts';
import type { Origin } from '../../facts/origin.ts';
import type { Call } from '../../operations/request.ts';
import { fingerprintOf } from '../../schema/fingerprint.ts';
import { ConflictError, isWriteConflict, retry } from '../../table/retry.ts';
import type { Table } from '../../table/table.ts';
import { toBalance } from '../rules/balance.ts';
import type { Cause } from '../rules/causes.ts';
import { stepOf, type WalletStep } from '../rules/step.ts';
import { type EventRecord, eventRecordKind } from '../stored/event-record.ts';
import { sum } from '../stored/lots.ts';
import { assertWallet, timeOf, type Wallet } from '../stored/wallet.ts';
import { toRefusalError } from '../terms/refusals.ts';
import { type Found, readFor, readsOf } from './reads.ts';
import type { WalletTable } from './wallet-table.ts';
import { upToDate } from './write-off.ts';
import { mostItems, RecordExists, recordsOf, writesOf } from './writes.ts';

/** One update of a wallet, which is made once. */
export interface WalletUpdate<T> {
  cause: Cause;
  /** Milliseconds since the epoch: if the wallet's time is later, it is `too_late`. */
  notAfter?: number | undefined;
  /** Of an event of the bus: each has an origin of its own. */
  origin?: Origin;
  /**
   * The outcome, if the cause's record says that the update was made: now, or before. Throws if by its record it can't be
   * made. `now` is the wallet's time.
   */
  outcomeOf(record: EventRecord | undefined, now: number): T | undefined;
}

/** Throws `event_id_reused` if a record is of another event or hold. */
export const assertSameCause = (
  { fingerprint }: EventRecord,
  cause: Cause,
  path: 'event_id' | 'hold_id',
): void => {
  if (fingerprint === fingerprintOf(cause)) return;
  const details = [{ path, message: 'was used for another event or hold' }];
  throw new ApiError('event_id_reused', { details });
};

/** An update that was made, now or before. */
export interface Made<T> {
  outcome: T;
  /** Whether the update was made before. */
  isRepeat: boolean;
}

/** What became of one of several updates. */
export type Result<T> = Made<T> | { error: unknown };

/** What is decided of an update, by what was read. */
interface Decision<T> {
  update: WalletUpdate<T>;
  result: Result<T>;
  /** What the update changes, if anything. */
  step?: WalletStep;
  /** Whether the update is refused, though its record says nothing of it. */
  isRejected?: true;
}

/** The most updates that are read and decided together: each has two items at least, and the wallet is one. */
const mostUpdates = Math.floor((mostItems - 1) / 2);

/** Updates of one wallet, and what they read, if it was read before. */
export interface WalletChange<T> {
  organizationId: string;
  updates: readonly WalletUpdate<T>[];
  /** Who asks for them, by which request. */
  origin: Origin;
  found?: Found | undefined;
}

/** Reads what updates need, in one request. They are made by `changeWallet` or `changeWalletInBatch`. */
export const prepare = async <T>(
  table: Table<'GetItem'>,
  { organizationId, origin }: Pick<Call, 'organizationId' | 'origin'>,
  ...updates: WalletUpdate<T>[]
): Promise<WalletChange<T>> => ({
  organizationId,
  origin,
  updates,
  found: await readFor(table, organizationId, readsOfAll(updates)),
});

const readsOfAll = (updates: readonly WalletUpdate<unknown>[]) =>
  updates.map(({ cause }) => readsOf(cause));

/**
 * Makes one update: wallet, ledger entry and record in one transaction, once. Throws `too_late`, the errors of refusals, and
 * `invalid_request` for an unknown organization.
 */
export const changeWallet = async <T>(
  table: WalletTable,
  change: WalletChange<T>,
): Promise<Made<T>> => {
  const [result] = await changeWalletInBatch(table, change);
  if (result && 'outcome' in result) return result;
  throw result?.error;
};

/**
 * Makes updates, each once, as if one after another, but in as few transactions as they fit into. Each has a result of its
 * own, in their order. Before them, holds that have expired are written off. Who loses a race reads again and retries until
 * the table's deadline; then it is `write_conflict`. If the time is up or the table fails, that is the result of those that
 * are left.
 */
export const changeWalletInBatch = async <T>(
  table: WalletTable,
  { organizationId, updates, origin, found }: WalletChange<T>,
): Promise<Result<T>[]> => {
  const results: Result<T>[] = [];
  let given = found;
  try {
    while (results.length < updates.length) {
      if (results.length > 0 && Date.now() > table.deadline) throw new ApiError('timeout');
      const next = updates.slice(results.length, results.length + mostUpdates);
      const work = () => {
        const change = { organizationId, updates: next, origin, found: given };
        given = undefined;
        return attempt(table, change);
      };
      results.push(...(await retry(table, work, isWriteConflict)));
    }
    return results;
  } catch (error) {
    return [...results, ...updates.slice(results.length).map(() => ({ error }))];
  }
};

/** The results of the first of these updates: of as many as a transaction has room for. */
const attempt = async <T>(
  table: WalletTable,
  { organizationId, updates, origin, found: given }: WalletChange<T>,
): Promise<Result<T>[]> => {
  const found = given ?? (await readFor(table, organizationId, readsOfAll(updates)));
  const now = timeOf(found.wallet ?? { at: 0 }, Date.now());
  const firstsBy = (records: ReadonlyMap<string, EventRecord | undefined>) =>
    updates.map((one) => firstResult(one, records.get(one.cause.event_id), now));
  const firsts = firstsBy(found.records);
  if (isWhole(firsts)) return firsts;
  if (!found.wallet) {
    const error = invalid('organization_id', 'is not an organization');
    return firsts.map((first) => first ?? { error });
  }
  const wallet = await upToDate(table, organizationId, found.wallet, now);
  if (!wallet) {
    if (Date.now() > table.deadline) throw new ApiError('write_conflict');
    return attempt(table, { organizationId, updates, origin });
  }
  const { decisions, writes } = decideWithin(
    { organizationId, updates, origin },
    { ...found, wallet },
    now,
  );
  try {
    const [results] = await Promise.all([
      lookAgain(table, organizationId, decisions, now),
      writes.length > 0 ? table.commit(writes, { retryConflicts: false }) : undefined,
    ]);
    return results;
  } catch (error) {
    if (!(error instanceof RecordExists)) throw error;
    // An update was made meanwhile in another way. If no other is left, nothing has to be read again.
    const records = new Map<string, EventRecord | undefined>(found.records);
    const later = firstsBy(records.set(error.id, error.record));
    if (isWhole(later)) return later;
    throw error;
  }
};

const isWhole = <T>(results: (T | undefined)[]): results is T[] =>
  results.every((result) => result !== undefined);

/** The result of an update that was made before, or that another one made impossible. */
const firstResult = <T>(
  { outcomeOf }: WalletUpdate<T>,
  record: EventRecord | undefined,
  now: number,
): Result<T> | undefined => {
  try {
    const outcome = outcomeOf(record, now);
    return outcome && { outcome, isRepeat: true };
  } catch (error) {
    return { error };
  }
};

type FoundWallet = Found & { wallet: Wallet };

/** What is decided of the first of these updates, and what that changes: as many as one transaction has room for. */
const decideWithin = <T>(change: WalletChange<T>, found: FoundWallet, now: number) => {
  const decisions = decide(change, found, now);
  for (;;) {
    const steps = decisions.flatMap(({ step }) => step ?? []);
    const writes = writesOf(change.organizationId, found.wallet, found.records, steps);
    if (writes.length <= mostItems) return { decisions, writes };
    decisions.pop();
  }
};

/** Wallet and records are read one after the other: what can't be comes of two moments, and is read again. */
const assertOneMoment = (wallet: Wallet): void => {
  try {
    assertWallet(wallet);
  } catch (error) {
    throw new ConflictError(error);
  }
};

/** The stars of its own hold are there for a capture, too. */
const ownStars = (cause: Cause, record: EventRecord | undefined): number =>
  cause.type === 'hold.captured' ? sum(record?.hold?.lots ?? []) : 0;

/** Decides one after another, each by what those before it make. */
const decide = <T>(
  { updates, origin }: WalletChange<T>,
  found: FoundWallet,
  now: number,
): Decision<T>[] => {
  let { wallet } = found;
  const records = new Map(found.records);
  const payments = new Set(found.payments);
  return updates.map((update) => {
    const { cause, notAfter = Number.POSITIVE_INFINITY } = update;
    const ids = readsOf(cause);
    const state = {
      wallet,
      record: records.get(ids.record),
      plan: found.plans.get(ids.plan ?? ''),
      target: records.get(ids.target ?? ''),
      isPaymentUsed: payments.has(ids.payment ?? ''),
    };
    const first = firstResult(update, state.record, now);
    if (first) return { update, result: first };
    const reject = (error: ApiError) => ({ update, result: { error }, isRejected: true }) as const;
    if (now > notAfter) return reject(new ApiError('too_late'));
    const step = stepOf(state, cause, now, update.origin ?? origin);
    if (typeof step === 'string') {
      const { available_stars } = toBalance(wallet, now);
      return reject(toRefusalError(step, available_stars + ownStars(cause, state.record)));
    }
    assertOneMoment(step.wallet);
    wallet = step.wallet;
    for (const [id, record] of recordsOf(step)) records.set(id, record);
    if (step.payment) payments.add(step.payment.id);
    const outcome = update.outcomeOf(step.record, now);
    if (!outcome) throw new Error(`${cause.type} left a record that does not say so`);
    return { update, step, result: { outcome, isRepeat: false } };
  });
};

/**
 * The results. A rejected update may have been made after its record was read and before the wallet was: so its record is
 * read again. Later it can't have been made, as then the wallet is another, and nothing is written.
 */
const lookAgain = async <T>(
  table: WalletTable,
  organizationId: string,
  decisions: readonly Decision<T>[],
  now: number,
): Promise<Result<T>[]> => {
  // A record that these decisions put, for another update with that id, was not there.
  const put = new Set(decisions.flatMap(({ step }) => step?.entry.event_id ?? []));
  const keys = decisions.map(({ update: { cause }, isRejected }) =>
    isRejected && !put.has(cause.event_id)
      ? eventRecordKind.key({ organizationId, eventId: cause.event_id })
      : undefined,
  );
  const records = await table.getAll(keys);
  return decisions.map(({ update, result }, i) => {
    const record = records[i];
    return (record && firstResult(update, record, now)) ?? result;
  });
};
