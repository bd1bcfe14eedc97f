import type { Table } from '../../../table/table.ts';
import { type WaitingRequest, waitingRequestKind } from './waiting-request.ts';

/**
 * Milliseconds after which others take the turn, if the oldest request stays the oldest. Its sender may be dead; before a crowd
 * is marked it more often loses to those who come, and others try as well.
 */
const turnMs = { marked: 150, unmarked: 50 };
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
}

/** The line as it is before the first look, at a wallet that was marked as crowded or not. */
export const newLine = (wallet: 'marked' | 'unmarked'): Line => ({
  oldest: '',
  since: Date.now(),
  turnMs: turnMs[wallet],
  aheadMs: 0,
});

/** Whether the oldest stays the oldest for too long. */
export const standsStill = ({ since, turnMs }: Line): boolean => Date.now() >= since + turnMs;

/**
 * The sender of the oldest request has the turn. If the line stands still, all senders before one's own may be dead: then one
 * takes the turn by chance, the less likely the more there are before it. Notes in `line` what it has seen.
 */
export const turnOf = async (
  table: Table<'Query'>,
  organizationId: string,
  { time, id }: Pick<WaitingRequest, 'time' | 'id'>,
  line: Line,
): Promise<Turn> => {
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
