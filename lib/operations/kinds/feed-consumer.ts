import type { TimeBounds } from '../../table/deadline.ts';
import type { Item } from '../../table/table.ts';

/** What became of feed items. */
export interface FeedItemsOutcome {
  accepted: number;
  setAside: number;
  /** Items to be given again, … */
  left: readonly Item[];
  /** … and the last reason for which one had to wait. */
  why: string | undefined;
}

/**
 * A function that gets feed items, which are items of the outbox with their number, from the table's stream: at least once,
 * and in order for each partition. It has no part in the table. There is room for one: the stream has two readers at most.
 */
export interface FeedConsumer {
  id: string;
  summary: string;
  takes: 'feed items';
  table: readonly [];
  handle(items: readonly Item[], limit: Required<TimeBounds>): Promise<FeedItemsOutcome>;
}

export const defineFeedConsumer = (
  consumer: Omit<FeedConsumer, 'takes' | 'table'>,
): FeedConsumer & { kind: 'stream' } => ({
  kind: 'stream',
  takes: 'feed items',
  table: [],
  ...consumer,
});
