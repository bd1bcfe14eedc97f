import type { Origin } from '../../facts/origin.ts';
import { type CommitTo, commitTo, type WriteOrFact } from '../../facts/transaction.ts';
import type { Commit } from '../../operations/commit.ts';
import { type ActionOf, type Grant, grantsOn } from '../../table/grants.ts';
import type { Reader, Table } from '../../table/table.ts';

/** What changing a wallet does with the table, whatever is asked of it. */
export const walletGrants = [
  'GetItem',
  'Query',
  ...grantsOn(
    'PutItem',
    'WALLET#',
    'LEDGER#',
    'NOTICE#',
    'EVENT#',
    'PAYMENT#',
    'HOLDS#',
    'SPENT#',
    'SUBSCRIPTION#',
    'WAITING#',
  ),
  ...grantsOn('DeleteItem', 'HOLDS#', 'WAITING#'),
] as const satisfies Grant[];
export type WalletWrite = WriteOrFact<'PutItem' | 'DeleteItem'>;

type WalletReader = Reader<'GetItem' | 'Query'>;

interface WalletCommitter {
  commit: CommitTo<'PutItem' | 'DeleteItem'>;
}

/** The table of whoever changes a wallet: it is written by a commit alone, as often as that takes. */
export type WalletTable = WalletReader &
  WalletCommitter & {
    /**
     * The table for what others asked, carried out along with the request: it counts for nobody, and what this request's
     * caller may do meanwhile is not asked.
     */
    forOthers: WalletReader & WalletCommitter;
  };

const withCommit = (
  table: WalletReader,
  commit: WalletCommitter['commit'],
): WalletReader & WalletCommitter => ({
  get: (key) => table.get(key),
  getAll: (keys) => table.getAll(keys),
  getAllEventually: (keys) => table.getAllEventually(keys),
  query: (input) => table.query(input),
  within: () => table.within(),
  deadline: table.deadline,
  commit,
});

const withOthers = (
  table: WalletReader,
  commit: WalletCommitter['commit'],
  commitForOthers: WalletCommitter['commit'],
): WalletTable => ({
  ...withCommit(table, commit),
  forOthers: withCommit(table.within(), commitForOthers),
});

type CommitOfRequest = Commit<'PutItem' | 'DeleteItem'>;

const withoutReply =
  (commit: CommitOfRequest): WalletCommitter['commit'] =>
  async (writes, options) => {
    await commit(writes, { body: undefined }, options);
  };

/**
 * An operation's table. It may commit several times, so such an operation is no idempotent one: the id in its path makes it
 * so. `ownCommit` is for what the request itself asks, where that may end before it is done.
 */
export const walletTableOf = (
  table: WalletReader,
  commit: CommitOfRequest,
  ownCommit: CommitOfRequest = commit,
): WalletTable => withOthers(table, withoutReply(ownCommit), withoutReply(commit));

/** The table where no request is answered: each change has an origin of its own. */
export const walletTableFor = (
  table: Table<ActionOf<(typeof walletGrants)[number]>> & WalletReader,
  origin: Origin,
): WalletTable => {
  const commit = commitTo(table, origin);
  return withOthers(table, commit, commit);
};
