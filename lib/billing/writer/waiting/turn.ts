import type { Table } from '../../../table/table.ts';
import { eventRecordKind } from '../../stored/event-record.ts';
import { isCarriedOut } from '../by-record.ts';
import { type WaitingRequest, waitingRequestKind } from './waiting-request.ts';

/**
 * Milliseconds after which others take the turn, if the oldest request stays the oldest: its sender may be dead. While the
 * wallet is not marked as crowded it more often loses to newcomers, and others try as well.
 */
const [crowdedTurnMs, turnMs] = [150, 50];
/** Milliseconds by which the oldest request is older, at most, for who stands near it. */
const nearMs = 100;
/** Milliseconds after which, if the oldest stays the oldest, who stands far back and looks seldom takes the turn for sure. */
const stuckMs = 2000;
/** The most requests that are counted, back from one's own, where the senders before it may be dead. */
const mostCounted = 20;

/** Where a request stands: whether it is there, and if so, whether its sender combines now. */
export type Turn = 'gone' | 'waits' | 'has its turn';

/** The requests before one's own, as its sender has seen them. */
export interface Line {
  /** The key of the oldest request, and the moment at which it was seen first. */
  oldest: string;
  since: number;
  /** Milliseconds after which others take the turn. */
  turnMs: number;
  /** Milliseconds by which the oldest request is older than one's own. */
  aheadMs: number;
  /** The moment from which its sender looks at the line again. Until then it looks at its own record. */
  looksAgainAt: number;
}

/** The line before the first look, at a wallet that is marked as crowded or not. */
export const newLine = (isCrowded: boolean): Line => ({
  oldest: '',
  since: Date.now(),
  turnMs: isCrowded ? crowdedTurnMs : turnMs,
  aheadMs: 0,
  looksAgainAt: 0,
});

/** Whether the oldest stays the oldest for too long. */
const standsStill = ({ since, turnMs }: Line): boolean => Date.now() >= since + turnMs;

/** Whether the first update was made, by its record, and so the request is gone. If it was refused, only the line tells. */
const isRecorded = async (
  table: Table<'GetItem'>,
  organizationId: string,
  { updates }: WaitingRequest,
): Promise<boolean> => {
  const first = updates[0]!;
  const key = eventRecordKind.key({ organizationId, eventId: first.cause.event_id });
  const [record] = await table.getAllEventually([key]);
  return isCarriedOut(first, record);
};

/**
 * The sender of the oldest request has the turn. If the line stands still, all senders before one's own may be dead: then one
 * takes the turn by chance, the less likely the more there are before it. Who stands far back looks at the line again once it
 * has waited twice as long, and until then at its own record, which lies in another partition. Notes in `line` what it has
 * seen.
 */
export const turnOf = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  request: WaitingRequest,
  line: Line,
): Promise<Turn> => {
  if (Date.now() < line.looksAgainAt) {
    return (await isRecorded(table, organizationId, request)) ? 'gone' : 'waits';
  }
  const { time, id } = request;
  const { pk, sk } = waitingRequestKind.key({ organizationId, time, id });
  const { items: firstItems } = await table.query({
    condition: 'pk = :pk',
    values: { ':pk': pk },
    limit: 1,
    consistent: true,
  });
  const oldest = String(firstItems[0]?.sk ?? '');
  // Others carry out the oldest first: if they removed this request, they removed those before it, too.
  if (oldest === '' || oldest > sk) return 'gone';
  if (oldest === sk) return 'has its turn';
  line.aheadMs = Number(time) - Number(waitingRequestKind.idsOf({ pk, sk: oldest }).time);
  if (line.oldest !== oldest) Object.assign(line, { oldest, since: Date.now() });
  if (line.aheadMs > nearMs) {
    const waitedMs = Date.now() - Number(time);
    line.looksAgainAt = Date.now() + waitedMs;
    if (Date.now() >= line.since + stuckMs) return 'has its turn';
  }
  if (!standsStill(line)) return 'waits';
  // Reads no more than it takes to know whether chance has it.
  const limit = Math.min(mostCounted, Math.ceil(1 / Math.random()));
  if (limit <= 2) return 'waits';
  const { items } = await table.query({
    condition: 'pk = :pk AND sk <= :sk',
    values: { ':pk': pk, ':sk': sk },
    limit,
    newestFirst: true,
    consistent: true,
  });
  if (items[0]?.sk !== sk) return 'gone';
  return items.length < limit || limit === mostCounted ? 'has its turn' : 'waits';
};
