import { filterText } from '../fields/values.ts';
import type { ContactField } from '../pipelines/pipeline.ts';
import { fromStored, toStored } from '../schema/resource.ts';
import {
  fieldValueKey,
  type Key,
  leadIndexes,
  leadIndexNames,
  leadIndexPartition,
  leadKey,
  tagKey,
} from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Write } from '../table/table.ts';
import { creationTime, type Lead, leadFields } from './lead.ts';

/** A lead's attributes. What is null or follows from the id is left out: bytes are what a page costs. */
const attributes = (lead: Lead): Item => ({
  ...toStored(leadFields, lead),
  updated_at: lead.updated_at === lead.created_at ? undefined : lead.updated_at,
});

/** The lead that an item holds: the lead's own, one from an index, or a tag's copy. */
export const toLead = (item: Item): Lead => {
  const id = item.sk as string;
  const created_at = creationTime(id);
  const updated_at = (item.updated_at ?? created_at) as string;
  return { id, ...fromStored(leadFields, item), created_at, updated_at } as Lead;
};

/** The partitions of the secondary indexes that a lead is listed in. */
const indexPartitions = (organizationId: string, lead: Lead): Item =>
  Object.fromEntries(
    leadIndexNames.map((index) => [
      leadIndexes[index].attribute,
      leadIndexPartition(organizationId, index, lead),
    ]),
  );

/** A lead with what is stored about it and not shown. */
export interface StoredLead {
  lead: Lead;
  /** 1 when created, one more with every change. */
  version: number;
  /** The contacts that it holds guards of. */
  unique: readonly ContactField[];
  /** The keys of those custom fields under whose values it is listed. */
  filterable: readonly string[];
}

/** The contacts of by far most leads, in pipelines that are unique by email: these are not stored. */
const usualUnique = (lead: Lead): ContactField[] => (lead.email === null ? [] : ['email']);

const isSameList = (a: readonly string[], b: readonly string[]) => a.join() === b.join();

const leadItem = (
  organizationId: string,
  { lead, version, unique, filterable }: StoredLead,
): Item => ({
  ...leadKey(organizationId, lead.id),
  ...indexPartitions(organizationId, lead),
  ...attributes(lead),
  version: version === 1 ? undefined : version,
  unique: isSameList(unique, usualUnique(lead)) ? undefined : unique,
  filterable: filterable.length > 0 ? filterable : undefined,
});

export const toStoredLead = (item: Item): StoredLead => {
  const lead = toLead(item);
  return {
    lead,
    version: (item.version ?? 1) as number,
    unique: (item.unique ?? usualUnique(lead)) as ContactField[],
    filterable: (item.filterable ?? []) as string[],
  };
};

/** Writes a lead and its copies, in place of what was there; refused with `ConflictError`. */
export const replaceLead = (
  organizationId: string,
  before: StoredLead | undefined,
  after: StoredLead | undefined,
): Write<'PutItem' | 'DeleteItem'>[] => {
  const id = (after ?? before)?.lead.id ?? '';
  const copies = copyKeys(organizationId, after);
  const partitions = new Set(copies.map(({ pk }) => pk));
  const obsoleteKeys = copyKeys(organizationId, before).filter(({ pk }) => !partitions.has(pk));
  const unchanged = replaceCondition(before);
  const refused = () => new ConflictError();
  return [
    after
      ? { Put: { Item: leadItem(organizationId, after), ...unchanged }, refused }
      : { Delete: { Key: leadKey(organizationId, id), ...unchanged }, refused },
    ...obsoleteKeys.map((key) => ({ Delete: { Key: key } })),
    ...copies.map((key) => ({
      Put: { Item: { ...key, ...attributes((after as StoredLead).lead) } },
    })),
  ];
};

/** Where copies of a lead are: under each of its tags, and each value by which leads are filtered. */
const copyKeys = (organizationId: string, stored: StoredLead | undefined): Key[] => {
  if (!stored) return [];
  const { lead, filterable } = stored;
  return [
    ...lead.tags.map((tag) => tagKey(organizationId, tag, lead.id)),
    ...filterable.map((key) =>
      fieldValueKey(organizationId, key, filterText(lead.fields[key]!), lead.id),
    ),
  ];
};

const replaceCondition = (before: StoredLead | undefined) =>
  before ? versionCondition(before) : { ConditionExpression: 'attribute_not_exists(pk)' };

/** The condition that a lead is as it was read. Version 1 is not stored. */
const versionCondition = ({ version }: StoredLead) =>
  version === 1
    ? { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(version)' }
    : {
        ConditionExpression: 'version = :version',
        ExpressionAttributeValues: { ':version': version },
      };
