import type { Table } from '../../../table/table.ts';
import { timeInKey, type WaitingRequest, waitingRequestKind } from './waiting-request.ts';

/** Milliseconds for which a sender leaves the turn to those before it. After that, those may be dead. */
const turnMs = 150;
/** The most requests before one's own that are counted, where their senders may be dead. */
const mostBefore = 20;

/** Where a request stands: whether it is there, and if so, whether its sender combines now. */
export type Turn = 'gone' | 'waits' | 'has its turn';

/**
 * The sender of the oldest request has the turn. If no request before one's own is younger than 150 ms, all of those may be
 * dead: then one takes the turn by chance, the less likely the more there are before it, so that few do at once.
 */
export const turnOf = async (
  table: Table<'Query'>,
  organizationId: string,
  { time, id }: Pick<WaitingRequest, 'time' | 'id'>,
): Promise<Turn> => {
  const { pk, sk } = waitingRequestKind.key({ organizationId, time, id });
  const upToOwn = async (limit: number): Promise<string[]> => {
    const { items } = await table.query({
      condition: 'pk = :pk AND sk <= :sk',
      values: { ':pk': pk, ':sk': sk },
      limit,
      newestFirst: true,
      consistent: true,
    });
    return items.map((item) => String(item.sk));
  };
  const [own, before] = await upToOwn(2);
  if (own !== sk) return 'gone';
  if (before === undefined) return 'has its turn';
  if (before > timeInKey(Date.now() - turnMs)) return 'waits';
  const standing = await upToOwn(mostBefore);
  return Math.random() * standing.length < 1 ? 'has its turn' : 'waits';
};
