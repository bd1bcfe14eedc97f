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
import { type Line, newLine, turnOf } from './turn.ts';
import {
  isThere,
  putWaitingRequest,
  removeWaitingRequest,
  type WaitingRequest,
  waitingRequestOf,
} from './waiting-request.ts';

/**
 * Milliseconds between two looks: the least, the most near the oldest request, and the most far from it. Chance chooses in
 * between, so that nobody goes in step with others.
 */
const [leastWaitMs, nearWaitMs, farWaitMs] = [10, 50, 500];
/** Milliseconds: how many must be left for a request to wait at all; how long it may be taken back after the deadline. */
const [leastMs, takingBackMs] = [100, 500];
/** The most milliseconds for which the sender that had its turn goes on to carry out others. */
const mostTurnMs = 1000;
/** Milliseconds after which nobody carries out a request, however long its sender lives. */
const mostKeptMs = 10_000;

/** Whether enough time is left to wait. */
export const hasTimeToWait = ({ deadline }: WalletTable): boolean =>
  Date.now() + leastMs < deadline;

const waitAMoment = (mostMs = nearWaitMs) =>
  new Promise((resolve) =>
    setTimeout(resolve, leastWaitMs + Math.random() * (mostMs - leastWaitMs)),
  );

/**
 * The longest wait until the next look, in milliseconds: longer for who stands far from the oldest, and after each time that
 * the table had no room. So looks stay few however many wait.
 */
const longestWaitOf = (line: Line, throttles: number, deadline: number): number => {
  const wanted = Math.max(nearWaitMs * 2 ** throttles, line.aheadMs / 2);
  return Math.max(nearWaitMs, Math.min(wanted, farWaitMs, deadline - Date.now()));
};

/** Whether the table had no room for it. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'unavailable';

/**
 * Puts a waiting request of these updates into the line, and waits until a sender has carried it out, this one or another.
 * Throws `write_conflict` if the time is up and it was taken back, `timeout` if nobody knows whether it was. Whatever else it
 * throws, the request may be there still, and be carried out until its time is over.
 */
export const waitForTurn = async (
  table: WalletTable,
  organizationId: string,
  given: readonly WalletUpdate[],
  { isCrowded, writes }: { isCrowded: boolean; writes: readonly WalletWrite[] },
): Promise<Tried> => {
  const until = Math.min(table.deadline, Date.now() + mostKeptMs);
  const request = waitingRequestOf(given, until);
  const { updates } = request;
  const put = putWaitingRequest(organizationId, request);
  // Whoever has the turn carries it out, and nothing is counted then. So all its units are counted now, for its sender.
  const all = [put, removeWaitingRequest(organizationId, request), ...writes];
  const countedUnits = expectedUnits(toWrites(all, ofTime));
  await table.commit([put], { countedUnits });
  // In a crowd others are at work. Who has lost a race looks at once.
  if (isCrowded) await waitAMoment();
  const line = newLine(isCrowded);
  let throttles = 0;
  for (; ; await waitAMoment(longestWaitOf(line, throttles, table.deadline))) {
    if (Date.now() >= table.deadline) {
      return { updates, results: await takeBack(table, organizationId, request) };
    }
    try {
      const results = await look(table, organizationId, request, line);
      if (results !== 'again') return { updates, results };
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      throttles++;
    }
  }
};

/** Looks where the request stands: its results, undefined if it is gone and not all was made, `again` if it still waits. */
const look = async (
  table: WalletTable,
  organizationId: string,
  request: WaitingRequest,
  line: Line,
): Promise<UpdateResult[] | undefined | 'again'> => {
  switch (await turnOf(table, organizationId, request, line)) {
    case 'waits':
      return 'again';
    case 'gone':
      return resultsIfMade(table, organizationId, request.updates);
    case 'has its turn':
      return tryToCombine(table, organizationId, request);
  }
};

/**
 * Who has its turn and loses tries once more at once: whoever came between is done. It looks again also if `combine` could
 * only write what the clock has done, or if the wallet is gone.
 */
const tryToCombine = async (
  table: WalletTable,
  organizationId: string,
  request: WaitingRequest,
  triesLeft = 1,
): Promise<UpdateResult[] | 'again'> => {
  try {
    const combined = await combine(table, organizationId, request);
    if (combined?.isMoreLeft) await goOn(table, organizationId);
    return combined?.results ?? 'again';
  } catch (error) {
    if (!isWriteConflict(error)) throw error;
    return triesLeft > 0 ? tryToCombine(table, organizationId, request, triesLeft - 1) : 'again';
  }
};

/**
 * Carries out what had no room, for a while: so the line need not find out who comes next. What fails concerns others, and is
 * tried again.
 */
const goOn = async (table: WalletTable, organizationId: string): Promise<void> => {
  const end = Math.min(table.deadline, Date.now() + mostTurnMs);
  for (let isMoreLeft = true; isMoreLeft && Date.now() < end; ) {
    try {
      isMoreLeft = (await combine(table, organizationId))?.isMoreLeft ?? false;
    } catch {
      await waitAMoment();
    }
  }
};

/** The results, if by the records all updates were made; undefined otherwise. */
const resultsIfMade = async (
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

/** Removes the request as its time is up, so that nobody can carry it out any more. Returns its results if others were faster. */
const takeBack = async (
  table: WalletTable,
  organizationId: string,
  request: WaitingRequest,
): Promise<UpdateResult[]> => {
  const end = table.deadline + takingBackMs;
  const isRemoved = await tryToRemove(table, organizationId, request, end);
  const results = await resultsIfMade(table, organizationId, request.updates);
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
      if (!(await isThere(forOthers, organizationId, request))) return false;
      await waitAMoment();
    }
  }
};
