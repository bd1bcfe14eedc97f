import { ofCommand } from '../../../lib/facts/origin.ts';
import { commitTo } from '../../../lib/facts/transaction.ts';
import type { TableClient } from '../../../lib/table/client.ts';

/** The table that is replaced, and the restored table. */
export interface Tables {
  old: TableClient;
  restored: TableClient;
}

/** How many of each were taken over. */
export const noneTaken = {
  platform_keys: 0,
  api_keys: 0,
  members: 0,
  suspensions: 0,
  erased_leads: 0,
  erased_organizations: 0,
};
export type Taken = typeof noneTaken;

export const commitTaken = (table: TableClient) => commitTo(table, ofCommand);
