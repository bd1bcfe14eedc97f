import type { Lead } from '../../lib/leads/lead.ts';
import { replaceLead } from '../../lib/leads/stored-lead.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { withoutFact } from '../../lib/table/write.ts';

/** Puts leads and their copies, and nothing else of them: so many in a transaction, which takes 100 items. */
export const putLeads = async (
  table: TableClient,
  organizationId: string,
  leads: readonly Lead[],
  leadsAtOnce: number,
): Promise<void> => {
  for (let i = 0; i < leads.length; i += leadsAtOnce) {
    const stored = { version: 1, unique: [], filterable: [] };
    await table.transact(
      leads
        .slice(i, i + leadsAtOnce)
        .flatMap((lead) => replaceLead(organizationId, undefined, { lead, ...stored }))
        .map(withoutFact),
    );
  }
};
