import { ApiError } from '../errors/errors.ts';
import type { Table } from '../table/table.ts';
import { type HistoryEntry, historyEntryKind, toHistoryEntry } from './history.ts';

/** The most merges that are followed from a lead. The lead that is named then names the next leads itself. */
const mostMerges = 100;

/** The last entry in the history of a lead, strongly consistent; undefined for a lead that never existed. */
export const readLastEntry = async (
  table: Table<'Query'>,
  organizationId: string,
  leadId: string,
): Promise<HistoryEntry | undefined> => {
  const { items } = await table.query({
    kind: historyEntryKind,
    condition: 'pk = :pk',
    values: { ':pk': historyEntryKind.partition({ organizationId, leadId }) },
    limit: 1,
    newestFirst: true,
    consistent: true,
  });
  return items[0] && toHistoryEntry(items[0]);
};

/** The last lead of the chain of merges that begins with this lead; undefined where this lead was not merged. */
export const findSurvivor = async (
  table: Table<'Query'>,
  organizationId: string,
  leadId: string,
): Promise<string | undefined> => {
  let survivor: string | undefined;
  for (let merges = 0; merges < mostMerges; merges++) {
    const last = await readLastEntry(table, organizationId, survivor ?? leadId);
    if (last?.merged_into === undefined) break;
    survivor = last.merged_into;
  }
  return survivor;
};

/** `not_found` for a lead that is not there. It names the survivor if the lead was merged. */
export const leadNotFound = async (
  table: Table<'Query'>,
  organizationId: string,
  leadId: string,
  path = 'lead_id',
): Promise<ApiError> => {
  const survivor = await findSurvivor(table, organizationId, leadId);
  if (survivor === undefined) return new ApiError('not_found');
  const message = `was merged into lead ${survivor}`;
  return new ApiError('not_found', { details: [{ path, message, lead_id: survivor }] });
};

/** Names the survivor where it is refused with `not_found` as the lead is not there. */
export const withMergeHint = async <T>(
  table: Table<'Query'>,
  { organizationId, path }: { organizationId: string; path: { lead_id: string } },
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 'not_found' && !error.details;
    throw isGone ? await leadNotFound(table, organizationId, path.lead_id) : error;
  }
};
