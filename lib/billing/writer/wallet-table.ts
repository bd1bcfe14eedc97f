import type { Origin } from '../../facts/origin.ts';
import { type CommitTo, commitTo, type WriteOrFact } from '../../facts/transaction.ts';
import type { Commit } from '../../operations/commit.ts';
import { type ActionOf, type Grant, grantsOn } from '../../table/grants.ts';
import type { Reader, Table } from '../../table/table.ts';

/** What changing a wallet does with the table, whatever is asked of it. */
export const walletGrants = [
  'GetItem',
  'Query',
  ...grantsOn('PutItem', 'WALLET#', 'LEDGER#', 'NOTICE#', 'EVENT#', 'PAYMENT#', 'HOLDS#'),
  'DeleteItem HOLDS#',
] as const satisfies Grant[];
export type WalletWrite = WriteOrFact<'PutItem' | 'DeleteItem'>;

/** The table of whoever changes a wallet: it is written by a commit alone, as often as that takes. */
export type WalletTable = Reader<'GetItem' | 'Query'> & {
  commit: CommitTo<'PutItem' | 'DeleteItem'>;
};

const withCommit = (
  table: Reader<'GetItem' | 'Query'>,
  commit: WalletTable['commit'],
): WalletTable => ({
  get: (key) => table.get(key),
  getAll: (keys) => table.getAll(keys),
  getAllEventually: (keys) => table.getAllEventually(keys),
  query: (input) => table.query(input),
  deadline: table.deadline,
  commit,
});

/** An operation's table. It may commit several times, so such an operation is no idempotent one: the id in its path makes it so. */
export const walletTableOf = (
  table: Reader<'GetItem' | 'Query'>,
  commit: Commit<'PutItem' | 'DeleteItem'>,
): WalletTable =>
  withCommit(table, async (writes, options) => {
    await commit(writes, { body: undefined }, options);
  });

/** The table where no request is answered: each change has an origin of its own. */
export const walletTableFor = (
  table: Table<ActionOf<(typeof walletGrants)[number]>>,
  origin: Origin,
): WalletTable => withCommit(table, commitTo(table, origin));
