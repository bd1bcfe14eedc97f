import { absent } from '../table/condition.ts';
import type { Key } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import { type Item, type Table, toKey } from '../table/table.ts';
import {
  type ContactGuard,
  contactGuardKind,
  externalIdKind,
  type GuardKey,
  guardKey,
  type LookupField,
  lookupFields,
} from './contacts.ts';
import type { LeadWrite } from './lead-writes.ts';
import { leadKind, toStoredLead } from './stored-lead.ts';

/** Guards as they were read, by their partitions; undefined for a free value. */
export type Guards = ReadonlyMap<string, ContactGuard | undefined>;

/**
 * The guards that a lead with these values may want: of its external id and, where its pipeline is given, of its contacts.
 * Whether they are unique there need not be known yet.
 */
export const guardKeys = (
  organizationId: string,
  pipelineId: string | undefined,
  values: Partial<Record<LookupField, string | null | undefined>>,
): GuardKey[] =>
  lookupFields.flatMap((field) => {
    const value = values[field];
    const isKnown = pipelineId !== undefined || field === 'external_id';
    return value && isKnown ? [guardKey(organizationId, pipelineId ?? '', field, value)] : [];
  });

/** Strongly consistent. */
export const readGuards = async (
  table: Table<'GetItem'>,
  keys: readonly GuardKey[],
): Promise<Guards> => {
  const items = await table.getAll(keys);
  return new Map(keys.map(({ pk }, i) => [pk, items[i]]));
};

/** A guard that is put, unless it is there. */
interface Claim {
  key: GuardKey;
  guard: ContactGuard;
  refused: (existing: Item | undefined) => Error;
}

const claimOf = (write: LeadWrite): Claim[] => {
  if (!('Put' in write) || !write.refused) return [];
  const { Item: item = {}, ConditionExpression: condition } = write.Put;
  const key = findGuardKey(toKey(item));
  const guard = condition === absent.text ? key?.read(item) : undefined;
  return key && guard ? [{ key, guard, refused: write.refused }] : [];
};

const findGuardKey = (key: Key): GuardKey | undefined => {
  const [contact, external] = [contactGuardKind.find(key), externalIdKind.find(key)];
  return contact ? contactGuardKind.key(contact) : external && externalIdKind.key(external);
};

/** The guards that are there once these writes are done. */
export const guardsIn = (writes: readonly LeadWrite[]): ContactGuard[] =>
  writes.flatMap(claimOf).map(({ guard }) => guard);

/** A lead as it was read. Without a version, it was not there. */
interface ReadLead {
  lead: { id: string };
  version?: number;
}

/**
 * Refuses writes as their transaction would, without its cost: throws `duplicate_lead` where another lead has what is
 * unique. Reads those guards that were not read yet. The transaction keeps its conditions, and so has the last word.
 *
 * `changed` are leads that are there already. They and the guard in the way are read once more, as a guard may be the
 * lead's own, from before another request changed the lead. Throws `ConflictError` where a lead is not as it was read.
 */
export const assertUnique = async (
  table: Table<'GetItem'>,
  organizationId: string,
  writes: readonly LeadWrite[],
  guards: Guards,
  changed: readonly ReadLead[] = [],
): Promise<void> => {
  const claims = writes.flatMap(claimOf);
  const unread = claims.map(({ key }) => key).filter(({ pk }) => !guards.has(pk));
  const all = new Map([...guards, ...(await readGuards(table, unread))]);
  for (const { key, refused } of claims) {
    const existing = all.get(key.pk);
    if (!existing) continue;
    if (changed.length === 0) throw refused({ ...existing });
    const [latest, areAsRead] = await Promise.all([
      table.get(key),
      Promise.all(changed.map((one) => isAsRead(table, organizationId, one))),
    ]);
    if (areAsRead.includes(false)) throw new ConflictError();
    if (latest?.lead_id === existing.lead_id) throw refused({ ...existing });
  }
};

const isAsRead = async (
  table: Table<'GetItem'>,
  organizationId: string,
  { lead, version }: ReadLead,
): Promise<boolean> => {
  const item = await table.get(leadKind.key({ organizationId, leadId: lead.id }));
  return (item && toStoredLead(item).version) === version;
};
