import { ApiError } from '../../../errors/errors.ts';
import { ofTime } from '../../../facts/origin.ts';
import { toWrites } from '../../../facts/transaction.ts';
import { ConflictError, isWriteConflict } from '../../../table/retry.ts';
import { expectedUnits } from '../../../table/units.ts';
import { eventRecordKind } from '../../stored/event-record.ts';
import { resultByRecord, type Tried, type UpdateResult } from '../decisions.ts';
import type { WalletTable, WalletWrite } from '../wallet-table.ts';
import type { WalletUpdate } from '../wallet-update.ts';
import { combine } from './combine.ts';
import { turnOf } from './turn.ts';
import {
  putWaitingRequest,
  removeWaitingRequest,
  type WaitingRequest,
  waitingRequestOf,
} from './waiting-request.ts';

/** Milliseconds between two looks, by chance, so that nobody goes in step with others. */
const [leastWaitMs, mostWaitMs] = [10, 50];
/** Milliseconds that are left for a waiting request at least; and those after the deadline in which it is taken back. */
const [leastMs, takingBackMs] = [100, 500];
/** Milliseconds after which nobody carries out a request, however long its sender lives. */
const longestWaitMs = 10_000;

/** Whether enough time is left to wait. */
export const hasTimeToWait = ({ deadline }: WalletTable): boolean =>
  Date.now() + leastMs < deadline;

const waitAMoment = () =>
  new Promise((resolve) =>
    setTimeout(resolve, leastWaitMs + Math.random() * (mostWaitMs - leastWaitMs)),
  );

/**
 * Leaves the request of these updates, until whoever has its turn carries it out, be it this sender or another. Throws
 * `write_conflict` if the time is up and it was taken back, and `timeout` if that can't be told. Whatever else it throws, the
 * request may be there still, and be carried out until its time is over.
 */
export const waitForTurn = async (
  table: WalletTable,
  organizationId: string,
  given: readonly WalletUpdate[],
  { looksAtOnce, writes }: { looksAtOnce: boolean; writes: readonly WalletWrite[] },
): Promise<Tried> => {
  const until = Math.min(table.deadline, Date.now() + longestWaitMs);
  const request = waitingRequestOf(given, until);
  const { updates } = request;
  const put = putWaitingRequest(organizationId, request);
  // Counted with what carrying it out takes, as that is done by whoever has the turn.
  const all = [put, removeWaitingRequest(organizationId, request), ...writes];
  const countedUnits = expectedUnits(toWrites(all, ofTime));
  await table.commit([put], { countedUnits });
  if (!looksAtOnce) await waitAMoment();
  for (; ; await waitAMoment()) {
    if (Date.now() >= table.deadline) {
      return { updates, results: await takeBack(table, organizationId, request) };
    }
    const turn = await turnOf(table, organizationId, request);
    if (turn === 'waits') continue;
    const results =
      turn === 'gone'
        ? await resultsOfGone(table, organizationId, updates)
        : await tryToCombine(table, organizationId, request);
    if (results !== 'again') return { updates, results };
  }
};

const tryToCombine = async (
  table: WalletTable,
  organizationId: string,
  request: WaitingRequest,
): Promise<UpdateResult[] | 'again'> => {
  try {
    return (await combine(table, organizationId, request)) ?? 'again';
  } catch (error) {
    if (isWriteConflict(error)) return 'again';
    throw error;
  }
};

/** The results of a request that somebody removed; undefined where they did not carry out all of it. */
const resultsOfGone = async (
  table: WalletTable,
  organizationId: string,
  updates: readonly WalletUpdate[],
): Promise<UpdateResult[] | undefined> => {
  const records = await table.getAll(
    updates.map(({ cause }) => eventRecordKind.key({ organizationId, eventId: cause.event_id })),
  );
  const results = updates.map((one, i) => resultByRecord(one, records[i], Date.now()));
  const isMade = (one: UpdateResult | undefined) => one !== undefined && 'record' in one;
  return results.every(isMade) ? (results as UpdateResult[]) : undefined;
};

/** Removes the request as its time is up. Only then nobody can carry it out any more. */
const takeBack = async (
  table: WalletTable,
  organizationId: string,
  request: WaitingRequest,
): Promise<UpdateResult[]> => {
  const end = table.deadline + takingBackMs;
  const isRemoved = await tryToRemove(table, organizationId, request, end);
  const results = await resultsOfGone(table, organizationId, request.updates);
  if (results) return results;
  throw isRemoved ? new ConflictError() : new ApiError('timeout');
};

/** Whether the request was removed here. While another's transaction has it, nobody knows. */
const tryToRemove = async (
  { forOthers }: WalletTable,
  organizationId: string,
  request: WaitingRequest,
  end: number,
): Promise<boolean> => {
  for (;;) {
    try {
      await forOthers.commit([removeWaitingRequest(organizationId, request)]);
      return true;
    } catch (error) {
      if (!isWriteConflict(error) || Date.now() > end) return false;
      if ((await turnOf(forOthers, organizationId, request)) === 'gone') return false;
      await waitAMoment();
    }
  }
};
