import type { WriteGrant } from '../table/grants.ts';
import type { TransactOptions, Write } from '../table/table.ts';
import type { Reply } from './request.ts';

/**
 * Writes all or nothing, and records the answer in the same transaction: once for each request. An operation has no
 * other way to write, so none can forget the record.
 */
export type Commit<G extends WriteGrant> = <B>(
  writes: readonly Write<G>[],
  reply: Reply<B>,
  options?: TransactOptions,
) => Promise<Reply<B>>;

/** Answers one part of a batch once, by its place in the request, as if it were a request of its own. */
export type Part<G extends WriteGrant> = <B>(
  i: number,
  work: (commit: Commit<G>) => Promise<Reply<B>>,
) => Promise<Reply<B>>;
