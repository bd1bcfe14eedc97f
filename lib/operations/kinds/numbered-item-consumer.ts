import type { TimeLimit } from '../../table/deadline.ts';
import type { Item } from '../../table/table.ts';

/** What became of numbered items. */
export interface NumberedItemsOutcome {
  accepted: number;
  setAside: number;
  /** Items to be given again, … */
  left: readonly Item[];
  /** … and the last reason for which one had to wait. */
  why: string | undefined;
}

/**
 * A function that is given the items of the outbox once they have their number, from the table's stream: at least once,
 * and in order for each partition. It has no part in the table.
 */
export interface NumberedItemConsumer {
  id: string;
  summary: string;
  takes: 'numbered items';
  table: readonly [];
  handle(items: readonly Item[], limit: Required<TimeLimit>): Promise<NumberedItemsOutcome>;
}

export const defineNumberedItemConsumer = (
  consumer: Omit<NumberedItemConsumer, 'takes' | 'table'>,
): NumberedItemConsumer & { kind: 'stream' } => ({
  kind: 'stream',
  takes: 'numbered items',
  table: [],
  ...consumer,
});
