import type { Call } from '../operations/request.ts';
import { assertMatch } from '../schema/etag.ts';
import { leadKey } from '../table/keys.ts';
import { retryOnConflict } from '../table/retry.ts';
import type { Item, Reader } from '../table/table.ts';
import { type StoredLead, toStoredLead } from './stored-lead.ts';
import { leadNotFound } from './survivor.ts';

/**
 * Changes a lead as it is: where another change comes between reading and writing, what that one made
 * of it, unless the client named the version that it means. Throws `not_found`, `precondition_failed`,
 * and `write_conflict` when the others don't end.
 */
export const changeLatestLead = <T>(
  { organizationId, path, ifMatch }: Call<{ path: { lead_id: string } }>,
  found: Item | undefined,
  table: Reader<'GetItem' | 'Query'>,
  change: (before: StoredLead) => Promise<T>,
): Promise<T> =>
  retryOnConflict(
    table,
    found,
    () => table.get(leadKey(organizationId, path.lead_id)),
    async (item) => {
      if (!item) throw await leadNotFound(table, organizationId, path.lead_id);
      const before = toStoredLead(item);
      assertMatch(ifMatch, before.version);
      return change(before);
    },
  );
