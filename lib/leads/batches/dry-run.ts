import type { PartReplies } from '../../operations/commit.ts';
import type { LeadAction } from '../lead-writes.ts';

/** A batch whose parts are looked at as if they were to be written. But they are not, and no reply is recorded. */
export const dryRun: PartReplies<LeadAction> = {
  replyToPart: (_i, work) => work(async (_writes, reply) => reply),
  expectedUnits: () => 0,
};
