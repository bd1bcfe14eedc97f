import type { Call, Reply } from '../../operations/request.ts';
import { ConflictError, retryOnConflict } from '../../table/retry.ts';
import type { Reader } from '../../table/table.ts';
import { erasureFact } from '../history.ts';
import { eraseLeadWrites, type LeadCommit, type LeadWrite } from '../lead-writes.ts';
import { type LeadState, readLeadState } from '../restore.ts';
import { toStoredLead } from '../stored-lead.ts';
import { leadNotFound } from '../survivor.ts';
import { ContentOfLeads } from './erase-content.ts';

type EraseCall = Call<{ path: { lead_id: string } }>;
type EraseTable = Reader<'GetItem' | 'Query'>;

// docs/decisions/erasing.md
/**
 * Removes every trace of a lead, and of those that were merged into it: the lead first, in one transaction, then
 * what its history, its notes and the answers under idempotency keys still tell. Answers 202 where there was
 * something to remove, and 204 where nothing was left. It has no idempotency key, so each transaction stands for
 * itself. Throws `not_found` for a lead that never was, or was merged, and `write_conflict` when others change it
 * until the deadline.
 */
export const erase = async (
  call: EraseCall,
  found: LeadState,
  table: EraseTable,
  commit: LeadCommit,
): Promise<Reply<undefined>> => {
  const write = async (writes: LeadWrite[]) => {
    await commit(writes, { body: undefined });
  };
  const readAgain = () => readLeadState(call, table);
  const removed = await retryOnConflict(table, found, readAgain, async (current) => {
    const writes = await removalWrites(call, current, table);
    if (writes.length > 0) await write(writes);
    return writes.length > 0;
  });
  const emptied = await new ContentOfLeads(call, table, write).remove(call.path.lead_id);
  return { status: removed || emptied ? 202 : 204, body: undefined };
};

/** The writes that remove a lead, or that mark a deleted lead as erased: none where that was done before. */
const removalWrites = async (
  call: EraseCall,
  { item, last }: LeadState,
  table: EraseTable,
): Promise<LeadWrite[]> => {
  const { organizationId, path } = call;
  if (item) return eraseLeadWrites(call, toStoredLead(item));
  if (!last || last.merged_into) throw await leadNotFound(table, organizationId, path.lead_id);
  if (last.type === 'lead.erased') return [];
  // The lead came back between the two reads.
  if (last.type !== 'lead.deleted') throw new ConflictError();
  return [erasureFact(call, path.lead_id, last)];
};
