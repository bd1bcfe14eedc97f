import type { ReplyToPart } from '../../operations/commit.ts';
import type { leadGrants } from '../lead-writes.ts';

/** A part of a batch that is looked at as if it were to be written. But it is not, and no reply is recorded. */
export const dryRunPart: ReplyToPart<(typeof leadGrants)[number]> = (_i, work) =>
  work(async (_writes, reply) => reply);
