import type { ReadBudget } from '../table/read-budget.ts';
import type { Table } from '../table/table.ts';
import { readUnitsOf } from '../table/units.ts';
import { type LeadItem, leadKind } from './stored-lead.ts';

/**
 * The leads of these ids, or of the first ids where just `spare` units are left: strongly consistent, in the order of the
 * ids, and undefined where there is no lead. At least one lead is read, so that each page comes farther.
 */
export const readLeads = async (
  table: Table<'GetItem'>,
  organizationId: string,
  ids: readonly string[],
  budget: ReadBudget,
  spare = 0,
): Promise<(LeadItem | undefined)[]> => {
  const read: (LeadItem | undefined)[] = [];
  for (;;) {
    const affordable = budget.affordable(ids.length - read.length, { spare });
    const count = read.length === 0 ? Math.max(1, affordable) : affordable;
    const some = ids.slice(read.length, read.length + count);
    if (some.length === 0) return read;
    const keys = some.map((leadId) => leadKind.key({ organizationId, leadId }));
    const items = await table.getAll(keys);
    const units = items.reduce((sum, item) => sum + readUnitsOf(item), 0);
    budget.take({ examined: items.length, units });
    read.push(...items);
  }
};
