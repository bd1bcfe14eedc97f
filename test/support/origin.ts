import type { CallerOrigin } from '../../lib/facts/origin.ts';
import { commitTo, toWrites, type WriteOrFact } from '../../lib/facts/transaction.ts';
import type { TableClient } from '../../lib/table/client.ts';
import type { ItemKey } from '../../lib/table/kind.ts';
import type { Item, WriteAction } from '../../lib/table/table.ts';
import { type ItemChange, update, withoutFact } from '../../lib/table/write.ts';

/** Who makes what a test writes past the front door, and by which request. */
export const someOrigin: CallerOrigin = {
  by: '3a7d3c0e-5f0f-4c55-9f0e-6d0c1b1f0a01',
  requestId: '6f1c5f5e-0c0b-4b52-8f5b-0f6b8f1d2a03',
};

/** Commits what a test writes past the front door. */
export const commitIn = (table: TableClient) => commitTo(table, someOrigin);

/** The items that a commit puts, the facts among them. */
export const itemsPut = (changed: readonly WriteOrFact<WriteAction>[]): Item[] =>
  toWrites(changed, someOrigin).flatMap((write) => ('Put' in write ? (write.Put.Item ?? []) : []));

/** Changes an item past any commit, as only a test does. */
export const change = <A extends object>(
  table: TableClient,
  key: ItemKey<A>,
  what: ItemChange<NoInfer<A>>,
): Promise<void> => table.transact([withoutFact(update(key, what))]);
