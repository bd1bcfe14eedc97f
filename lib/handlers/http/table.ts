import type { TableClient } from '../../table/client.ts';
import { limitOf } from '../../table/deadline.ts';
import type { Step } from './chain.ts';

export interface WithTable {
  /** The table for this request: its calls end when the request has to be answered. */
  table: TableClient;
}

/** Opens the table. */
export const withTable =
  (open: () => TableClient): Step<object, WithTable> =>
  (_known, { context }) => ({ table: open().during(limitOf(context)) });
