import * as z from 'zod/mini';
import { filterText } from '../fields/values.ts';
import { type ContactField, contactFields } from '../pipelines/pipeline.ts';
import { fromStored, storedShape, toStored } from '../schema/resource.ts';
import { asRead } from '../table/condition.ts';
import {
  type LeadIdIndex,
  type LeadOrder,
  leadIdIndexNames,
  leadIndexes,
  leadIndexPartition,
  leadOrderNames,
  leadOrders,
  orderKey,
} from '../table/indexes/lead-indexes.ts';
import { indexPartition, places } from '../table/keys.ts';
import { type AttributesOf, type ItemKey, type ItemOf, Kind } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import { type Item, toKey, type Write } from '../table/table.ts';
import { put, remove } from '../table/write.ts';
import { creationTime, type Lead, leadFields } from './lead.ts';

/** The attributes of a lead and its copies. What is null or follows from the id is left out: bytes are what a page costs. */
const copied = z.object({
  ...storedShape(leadFields),
  /** Times are absent where they are that of the creation. */
  stage_entered_at: z.optional(z.iso.datetime()),
  updated_at: z.optional(z.iso.datetime()),
});
type Copied = z.output<typeof copied>;

const partition = () => z.optional(z.string());
const sortKeys = Object.fromEntries(
  leadOrderNames.map((order) => [leadOrders[order].attribute, z.optional(z.string())]),
) as Record<(typeof leadOrders)[LeadOrder]['attribute'], ReturnType<typeof partition>>;

export const leadKind = new Kind(places.lead, {
  hasFacts: true,
  holds: 'leads, newest first',
  attributes: z.object({
    ...copied.shape,
    /** The partitions of the indexes. */
    p: partition(),
    ps: partition(),
    o: partition(),
    po: partition(),
    pso: partition(),
    /** The sort keys of indexes that are not by the id. */
    ...sortKeys,
    /** 1 when created, one more with every change; 1 is not stored. */
    version: z.optional(z.int()),
    /** The contacts that it holds guards of, unless they are the usual. */
    unique: z.optional(z.array(z.enum(contactFields))),
    /** The keys of those custom fields under whose values it is listed. */
    filterable: z.optional(z.array(z.string())),
  }),
});
/** The units of a strongly consistent read of a lead at most: the largest has 16 KB. Lists take half of them. */
export const mostLeadUnits = 4;
export type LeadItem = ItemOf<typeof leadKind>;

export const leadOfTagKind = new Kind(places.leadOfTag, {
  holds: '… with a tag',
  attributes: copied,
});
export const leadOfFieldValueKind = new Kind(places.leadOfFieldValue, {
  holds: '… with a value of a custom field',
  attributes: copied,
});

/** The key has a digest of the value: a text of 500 characters is too long for a key. */
export const fieldValueIds = (organizationId: string, field: string, value: string) => ({
  organizationId,
  field,
  digest: indexPartition(organizationId, field, value),
});

/** Leads as lists have them: their own items, those of an index, or copies. */
export const listedLead = {
  parse: (item: Item): Lead => toLead(toKey(item).sk, copied.parse(item)),
};

const toLead = (id: string, stored: Copied): Lead => {
  const created_at = creationTime(id);
  const { stage_entered_at = created_at, updated_at = created_at } = stored;
  return { id, ...fromStored(leadFields, stored), stage_entered_at, created_at, updated_at };
};

const toCopied = (lead: Lead): Copied => ({
  ...toStored(leadFields, lead),
  stage_entered_at: unlessCreated(lead, 'stage_entered_at'),
  updated_at: unlessCreated(lead, 'updated_at'),
});

const unlessCreated = (lead: Lead, time: 'stage_entered_at' | 'updated_at') =>
  lead[time] === lead.created_at ? undefined : lead[time];

/** The partitions of the secondary indexes that a lead is listed in, and its sort keys there. */
const indexKeys = (organizationId: string, lead: Lead) => {
  const partitionOf = (index: LeadIdIndex) => leadIndexPartition(organizationId, index, lead);
  return Object.fromEntries([
    ...leadIdIndexNames.map((index) => [leadIndexes[index].attribute, partitionOf(index)]),
    ...leadOrderNames.map((order) => [leadOrders[order].attribute, orderKey(order, lead)]),
  ]);
};

/** A lead with what is stored about it and not shown. */
export interface StoredLead {
  lead: Lead;
  version: number;
  unique: readonly ContactField[];
  filterable: readonly string[];
}

/** The contacts of by far most leads, in pipelines that are unique by email: these are not stored. */
const usualUnique = (lead: Lead): ContactField[] => (lead.email === null ? [] : ['email']);

const isSameList = (a: readonly string[], b: readonly string[]) => a.join() === b.join();

const toAttributes = (
  organizationId: string,
  { lead, version, unique, filterable }: StoredLead,
): AttributesOf<typeof leadKind> => ({
  ...indexKeys(organizationId, lead),
  ...toCopied(lead),
  version: version === 1 ? undefined : version,
  unique: isSameList(unique, usualUnique(lead)) ? undefined : [...unique],
  filterable: filterable.length > 0 ? [...filterable] : undefined,
});

export const toStoredLead = (item: LeadItem): StoredLead => {
  const lead = toLead(item.sk, item);
  const { version = 1, unique = usualUnique(lead), filterable = [] } = item;
  return { lead, version, unique, filterable };
};

/** Writes a lead and its copies, in place of what was there; refused with `ConflictError`. */
export const replaceLead = (
  organizationId: string,
  before: StoredLead | undefined,
  after: StoredLead | undefined,
): Write<'PutItem' | 'DeleteItem'>[] => {
  const leadId = (after ?? before)?.lead.id ?? '';
  const key = leadKind.key({ organizationId, leadId });
  const copies = copyKeys(organizationId, after);
  const partitions = new Set(copies.map(({ pk }) => pk));
  const obsolete = copyKeys(organizationId, before).filter(({ pk }) => !partitions.has(pk));
  const terms = { condition: asRead(before?.version), refused: () => new ConflictError() };
  const was = before && toCopied(before.lead);
  return [
    after
      ? put(key, toAttributes(organizationId, after), { ...terms, was })
      : remove(key, { ...terms, was: before && toAttributes(organizationId, before) }),
    ...obsolete.map((copy) => remove(copy, { was })),
    ...(after ? copies.map((copy) => put(copy, toCopied(after.lead), { was })) : []),
  ];
};

/** Where copies of a lead are: under each of its tags, and each value by which leads are filtered. */
const copyKeys = (organizationId: string, stored: StoredLead | undefined): ItemKey<Copied>[] => {
  if (!stored) return [];
  const { lead, filterable } = stored;
  const leadId = lead.id;
  return [
    ...lead.tags.map((tag) => leadOfTagKind.key({ organizationId, tag, leadId })),
    ...filterable.map((field) => {
      const ids = fieldValueIds(organizationId, field, filterText(lead.fields[field]!));
      return leadOfFieldValueKind.key({ ...ids, leadId });
    }),
  ];
};
