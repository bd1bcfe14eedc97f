import type { Commit } from '../../operations/commit.ts';
import type { Grant, Reader, Table, TransactOptions, Write } from '../../table/table.ts';

/** What changing a wallet does with the table. */
export const walletGrants = [
  'GetItem',
  'Query',
  'PutItem',
  'DeleteItem',
] as const satisfies Grant[];
export type WalletTable = Table<(typeof walletGrants)[number]>;
export type WalletWrite = Write<'PutItem' | 'DeleteItem'>;

/**
 * The table as an operation has it: all that it writes goes by its commit. A change of a wallet may take several
 * transactions, so such an operation is no idempotent one: the id in its path makes it so.
 */
export const walletTableOf = (
  table: Reader<'GetItem' | 'Query'>,
  commit: Commit<'PutItem' | 'DeleteItem'>,
): WalletTable => ({
  get: (key) => table.get(key),
  getAll: (keys) => table.getAll(keys),
  getAllEventually: (keys) => table.getAllEventually(keys),
  query: (input) => table.query(input),
  deadline: table.deadline,
  async transact(writes: readonly WalletWrite[], options?: TransactOptions) {
    await commit(writes, { body: undefined }, options);
  },
});
