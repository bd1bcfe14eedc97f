import type { TransactOptions, Transactor, Write, WriteAction } from '../table/table.ts';
import { withoutFact } from '../table/write.ts';
import type { Fact } from './fact.ts';
import type { Origin } from './origin.ts';

/** A part of a transaction: the write of an item, or a fact that tells of one. */
export type WriteOrFact<G extends WriteAction> = Write<G> | Fact;

const isFact = (one: WriteOrFact<WriteAction>): one is Fact => 'toWrite' in one;

/** The writes of a transaction. Throws where a thing is written of which no fact tells: that would be missing in the feed. */
export const toWrites = (
  all: readonly WriteOrFact<WriteAction>[],
  origin: Origin,
): Write<WriteAction>[] => {
  const told = new Set(all.flatMap((one) => (isFact(one) ? one.thing : [])));
  return all.map((one) => {
    if (isFact(one)) return one.toWrite(origin);
    if (one.thing && !told.has(one.thing)) {
      throw new Error(`no fact tells of the write of ${one.thing}`);
    }
    return withoutFact(one);
  });
};

/** Writes all or nothing, with facts. */
export type CommitTo<G extends WriteAction> = (
  all: readonly WriteOrFact<G>[],
  options?: TransactOptions,
) => Promise<void>;

/** Commits to the table where no reply is recorded: what queues, sessions and commands do. */
export const commitTo =
  (table: Transactor<WriteAction>, origin: Origin): CommitTo<WriteAction> =>
  (all, options) =>
    table.transact(toWrites(all, origin), options);
