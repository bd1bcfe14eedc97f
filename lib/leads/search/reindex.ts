import { leadKey, organizationKey } from '../../table/keys.ts';
import { ConflictError, retryOnConflict } from '../../table/retry.ts';
import type { Item, Table, Write } from '../../table/table.ts';
import { sharedLookupKeys } from '../contacts.ts';
import { type StoredLead, toStoredLead, versionCondition } from '../stored-lead.ts';
import { needsWordItems } from './state.ts';
import { updateWords } from './word-items.ts';

type ReindexGrant =
  | 'GetItem'
  | 'Query'
  | 'PutItem'
  | 'DeleteItem'
  | 'UpdateItem'
  | 'ConditionCheckItem';
type ReindexTable = Table<ReindexGrant>;

/** Leads are read so many at a time, and written so many at once. */
const leadsPerPage = 100;
const leadsAtOnce = 10;
/** How long a lead is tried again while others change it, in milliseconds. */
const retryMs = 10_000;

export interface ReindexResult {
  /** How many leads were looked at, … */
  leads: number;
  /** … and how many of them were not up to date. */
  changed: number;
}

/**
 * Brings an organization's leads up to date: each is found by all of its contacts, and has its
 * words or has none. Each lead is a transaction that stands on the lead as it was read, so that it can be
 * repeated and interrupted while the service runs. Each page reads whether there is a search: another
 * command may have switched it meanwhile.
 */
export const reindexLeads = async (
  table: ReindexTable,
  organizationId: string,
): Promise<ReindexResult> => {
  const result = { leads: 0, changed: 0 };
  let last: Item | undefined;
  do {
    const page = await table.query({
      condition: 'pk = :pk',
      values: { ':pk': leadKey(organizationId, '').pk },
      limit: leadsPerPage,
      startAfter: last,
      consistent: true,
    });
    const searchable = needsWordItems(await table.get(organizationKey(organizationId)));
    const leads = page.items.map(toStoredLead);
    const outdated = await findOutdated(table, organizationId, leads, searchable);
    for (let i = 0; i < outdated.length; i += leadsAtOnce) {
      const chunk = outdated.slice(i, i + leadsAtOnce);
      await Promise.all(chunk.map((one) => reindexLead(table, organizationId, one, searchable)));
    }
    result.leads += leads.length;
    result.changed += outdated.length;
    last = page.last;
  } while (last);
  return result;
};

/** The leads that are not up to date. */
const findOutdated = async (
  table: ReindexTable,
  organizationId: string,
  leads: readonly StoredLead[],
  searchable: boolean,
): Promise<StoredLead[]> => {
  const lookups = leads.map((one) => sharedLookupKeys(organizationId, one));
  const items = await table.getAll(lookups.flat());
  const presentKeys = new Set(items.map((item) => item && `${item.pk} ${item.sk}`));
  return leads.filter(
    (one, i) =>
      one.searchable !== searchable ||
      lookups[i]!.some(({ pk, sk }) => !presentKeys.has(`${pk} ${sk}`)),
  );
};

const reindexLead = (
  table: ReindexTable,
  organizationId: string,
  before: StoredLead,
  searchable: boolean,
): Promise<void> => {
  const Key = leadKey(organizationId, before.lead.id);
  const read = async () => {
    const item = await table.get(Key);
    return item && toStoredLead(item);
  };
  const timeLimit = { deadline: Date.now() + retryMs };
  return retryOnConflict<StoredLead | undefined, void>(timeLimit, before, read, async (lead) => {
    if (lead) await table.transact(reindexWrites(organizationId, lead, searchable));
  });
};

/** Puts all that may be missing. What is not missing stays the same. */
const reindexWrites = (
  organizationId: string,
  before: StoredLead,
  searchable: boolean,
): Write<ReindexGrant>[] => [
  setSearchable(organizationId, before, searchable),
  ...sharedLookupKeys(organizationId, before).map((key) => ({ Put: { Item: { ...key } } })),
  ...updateWords(organizationId, before, { lead: before.lead, searchable }),
];

const setSearchable = (
  organizationId: string,
  before: StoredLead,
  searchable: boolean,
): Write<'UpdateItem' | 'ConditionCheckItem'> => {
  const Key = leadKey(organizationId, before.lead.id);
  const condition = versionCondition(before);
  const refused = () => new ConflictError();
  if (before.searchable === searchable) return { ConditionCheck: { Key, ...condition }, refused };
  if (!searchable) {
    return { Update: { Key, UpdateExpression: 'REMOVE searchable', ...condition }, refused };
  }
  return {
    Update: {
      Key,
      UpdateExpression: 'SET searchable = :true',
      ...condition,
      ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ':true': true },
    },
    refused,
  };
};
