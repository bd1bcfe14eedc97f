import type { Table } from '../../../table/table.ts';
import { eventRecordKind } from '../../stored/event-record.ts';
import { isCarriedOut } from '../by-record.ts';
import { type WaitingRequest, waitingRequestKind } from './waiting-request.ts';

/**
 * Milliseconds after which others take the turn, if the oldest request stays the oldest. Its sender may be dead; before a crowd
 * is marked it more often loses to those who come, and others try as well.
 */
const turnMs = { marked: 150, unmarked: 50 };
/** Milliseconds by which the oldest request is older, at most, for who stands near it. */
const nearMs = 100;
/** Milliseconds after which who stands far back, and looks seldom, takes the turn for sure. */
const stuckMs = 2000;
/** The most requests up to one's own that are counted, where their senders may be dead. */
const mostBefore = 20;

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
  /** The moment until which its sender looks at its own record, not at the line. */
  lookAt: number;
}

/** The line as it is before the first look, at a wallet that was marked as crowded or not. */
export const newLine = (wallet: 'marked' | 'unmarked'): Line => ({
  oldest: '',
  since: Date.now(),
  turnMs: turnMs[wallet],
  aheadMs: 0,
  lookAt: 0,
});

/** Whether the oldest stays the oldest for too long. */
const standsStill = ({ since, turnMs }: Line): boolean => Date.now() >= since + turnMs;

/** Whether the record of the first update says that it was carried out: others carry out a request whole. */
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
  if (Date.now() < line.lookAt) {
    return (await isRecorded(table, organizationId, request)) ? 'gone' : 'waits';
  }
  const { time, id } = request;
  const { pk, sk } = waitingRequestKind.key({ organizationId, time, id });
  const { items: oldest } = await table.query({
    condition: 'pk = :pk',
    values: { ':pk': pk },
    limit: 1,
    consistent: true,
  });
  const first = String(oldest[0]?.sk ?? '');
  // Whoever removes a request removes those before it, too.
  if (first === '' || first > sk) return 'gone';
  if (first === sk) return 'has its turn';
  line.aheadMs = Number(time) - Number(waitingRequestKind.idsOf({ pk, sk: first }).time);
  if (line.oldest !== first) Object.assign(line, { oldest: first, since: Date.now() });
  if (line.aheadMs > nearMs) {
    line.lookAt = 2 * Date.now() - Number(time);
    if (Date.now() >= line.since + stuckMs) return 'has its turn';
  }
  if (!standsStill(line)) return 'waits';
  // Reads no more than it takes to know whether chance has it.
  const limit = Math.min(mostBefore, Math.ceil(1 / Math.random()));
  if (limit <= 2) return 'waits';
  const { items } = await table.query({
    condition: 'pk = :pk AND sk <= :sk',
    values: { ':pk': pk, ':sk': sk },
    limit,
    newestFirst: true,
    consistent: true,
  });
  if (items[0]?.sk !== sk) return 'gone';
  return items.length < limit || limit === mostBefore ? 'has its turn' : 'waits';
};
