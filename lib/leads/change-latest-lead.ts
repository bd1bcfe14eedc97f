import type { Call } from '../operations/request.ts';
import { assertMatch } from '../schema/etag.ts';
import { retryOnConflict } from '../table/retry.ts';
import type { Reader } from '../table/table.ts';
import { type LeadItem, leadKind, type StoredLead, toStoredLead } from './stored-lead.ts';
import { leadNotFound } from './survivor.ts';

/**
 * Updates the latest version of a lead: if another update comes between reading and writing, it reads again.
 * Throws `not_found`, `precondition_failed` if `If-Match` names another version, and `write_conflict` if others
 * go on until the deadline.
 */
export const changeLatestLead = <T>(
  { organizationId, path, ifMatch }: Call<{ path: { lead_id: string } }>,
  item: LeadItem | undefined,
  table: Reader<'GetItem' | 'Query'>,
  update: (before: StoredLead) => Promise<T>,
): Promise<T> =>
  retryOnConflict(
    table,
    item,
    () => table.get(leadKind.key({ organizationId, leadId: path.lead_id })),
    async (latest) => {
      if (!latest) throw await leadNotFound(table, organizationId, path.lead_id);
      const before = toStoredLead(latest);
      assertMatch(ifMatch, before.version);
      return update(before);
    },
  );
