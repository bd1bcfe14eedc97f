import type { WriteOrFact } from '../facts/transaction.ts';
import type { TransactOptions, WriteAction } from '../table/table.ts';
import type { MemberCall, Reply } from './request.ts';

/**
 * Writes all or nothing, with facts of this caller and request, and with the idempotency record in the same transaction:
 * once for each request. An operation has no other way to write, so none can forget the record or a fact.
 */
export type Commit<G extends WriteAction> = <B>(
  writes: readonly WriteOrFact<G>[],
  reply: Reply<B>,
  options?: TransactOptions,
) => Promise<Reply<B>>;

/** Does the work of one part of a batch, by its place in the request, under an idempotency key of its own. */
export type ReplyToPart<G extends WriteAction> = <B>(
  i: number,
  work: (commit: Commit<G>) => Promise<Reply<B>>,
) => Promise<Reply<B>>;

/** The replies to the parts of a batch, by their places in the request. */
export interface PartReplies<G extends WriteAction> {
  replyToPart: ReplyToPart<G>;
  /** The units that these writes and the record of this reply are expected to take: 0 for a part that was done before. */
  expectedUnits(i: number, writes: readonly WriteOrFact<G>[], reply: Reply): number;
}

/** Commits as often as that takes. Before each time but the first, it asks whether the caller still may. */
export const whileAllowed = <G extends WriteAction>(
  { assertAllowed }: Pick<MemberCall, 'assertAllowed'>,
  commit: Commit<G>,
): Commit<G> => {
  let isFirst = true;
  return async (...given) => {
    if (!isFirst) await assertAllowed();
    isFirst = false;
    return commit(...given);
  };
};
