import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { type ContactField, contactFields, type Pipeline } from '../pipelines/pipeline.ts';
import { absent, compare } from '../table/condition.ts';
import { type Key, places } from '../table/keys.ts';
import { type ItemKey, Kind } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import { type Item, toKey, type Write } from '../table/table.ts';
import { put, remove } from '../table/write.ts';
import type { Lead } from './lead.ts';

/** The fields by which a lead can be found, with their letters in any case. */
export const lookupFields = ['external_id', ...contactFields] as const;
export type LookupField = (typeof lookupFields)[number];

/** A guarded value belongs to one lead at most. */
const guarding = z.object({ lead_id: z.uuid() });
export const contactGuardKind = new Kind(places.contactGuard, {
  holds: 'the lead that has a contact to itself',
  attributes: guarding,
});
export const externalIdKind = new Kind(places.externalId, {
  holds: 'the lead with an external id',
  attributes: guarding,
});
export const contactLookupKind = new Kind(places.contactLookup, {
  holds: 'leads that share a contact',
  attributes: z.object({}),
});
export type ContactGuard = Key & z.output<typeof guarding>;
export type GuardKey = ItemKey<z.output<typeof guarding>>;

/** Email addresses are the same in any case; E.164 has one spelling. */
export const normalize = (field: keyof Lead, value: string): string =>
  field === 'email' ? value.toLowerCase() : value;

type Contacts = Pick<Lead, 'pipeline_id' | ContactField>;

/** Whether two leads have the same email or phone. */
export const isSameContact = (
  field: ContactField,
  one: Pick<Lead, ContactField>,
  other: Pick<Lead, ContactField>,
): boolean => {
  const [value, others] = [one[field], other[field]];
  return value !== null && others !== null && normalize(field, value) === normalize(field, others);
};

// docs/decisions/lists.md
/** The contacts by which a lead in this pipeline has to be unique. */
export const uniqueContacts = (pipeline: Pipeline, lead: Contacts): ContactField[] =>
  pipeline.unique_contact.filter((field) => lead[field] !== null);

/**
 * The contacts by which a lead is unique after an update. A new contact is unique if the pipeline says so. A contact that
 * stays is as it was: a lead from before the pipeline made it unique may share it. `other` is a lead that is merged into
 * this lead: if a contact of both was unique there, it becomes unique here.
 */
export const uniqueAfter = (
  before: LookupLead,
  lead: Contacts,
  pipeline: Pipeline | undefined,
  other?: LookupLead,
): ContactField[] => {
  const pipelineUnique = pipeline?.unique_contact ?? before.unique;
  const stays = (field: ContactField) =>
    lead[field] === before.lead[field] && lead.pipeline_id === before.lead.pipeline_id;
  const had = (field: ContactField) =>
    before.unique.includes(field) || (other !== undefined && sharesUnique(other, field, lead));
  return contactFields.filter(
    (field) => lead[field] !== null && (stays(field) ? had(field) : pipelineUnique.includes(field)),
  );
};

/** Whether `other` shares a contact that is unique to a lead: `other` can be from before the contact was unique. */
const sharesUnique = (
  { lead, unique }: LookupLead,
  field: ContactField,
  other: Contacts,
): boolean =>
  unique.includes(field) &&
  lead.pipeline_id === other.pipeline_id &&
  isSameContact(field, lead, other);

/** A lead with the contacts that no other lead of its pipeline has. */
export interface LookupLead {
  lead: Lead;
  unique: readonly ContactField[];
}

/**
 * Replaces the items by which a lead is found, in the transaction that updates the lead. Refused with
 * `duplicate_lead` if another lead has a unique value, unless that is `other`, which the same transaction removes.
 */
export const updateLookups = (
  organizationId: string,
  before: LookupLead | undefined,
  after: LookupLead | undefined,
  other?: LookupLead,
): Write<'PutItem' | 'DeleteItem'>[] => {
  const had = lookupsByKey(organizationId, before);
  const fromOther = lookupsByKey(organizationId, other);
  const has = lookupsByKey(organizationId, after);
  return [
    ...[...had, ...fromOther]
      .filter(([id]) => !has.has(id))
      .map(([, { guard, shared }]) => (guard ? remove(guard) : remove(shared))),
    ...[...has]
      .filter(([id]) => !had.has(id))
      .map(([id, lookup]) => putLookup(lookup, fromOther.get(id)?.leadId)),
  ];
};

/** An item by which a lead is found: a guard, or one of several. */
type Lookup = { field: LookupField; leadId: string } & (
  | { guard: GuardKey; shared?: undefined }
  | { guard?: undefined; shared: ReturnType<typeof contactLookupKind.key> }
);

const lookupsByKey = (
  organizationId: string,
  lookupLead: LookupLead | undefined,
): ReadonlyMap<string, Lookup> =>
  new Map(
    (lookupLead ? lookupsOf(organizationId, lookupLead) : []).map((lookup) => {
      const { pk, sk } = lookup.guard ?? lookup.shared;
      return [`${pk} ${sk}`, lookup];
    }),
  );

/** The items by which a lead is found: one for its external id, and one for each of its contacts. */
const lookupsOf = (organizationId: string, { lead, unique }: LookupLead): Lookup[] =>
  lookupFields.flatMap((field): Lookup[] => {
    const value = lead[field];
    if (value === null) return [];
    const leadId = lead.id;
    if (field === 'external_id' || unique.includes(field)) {
      return [{ field, leadId, guard: guardKey(organizationId, lead.pipeline_id, field, value) }];
    }
    const ids = contactIds(organizationId, lead.pipeline_id, field, value);
    return [{ field, leadId, shared: contactLookupKind.key({ ...ids, leadId }) }];
  });

const contactIds = (
  organizationId: string,
  pipelineId: string,
  field: ContactField,
  value: string,
) => ({ organizationId, pipelineId, field, value: normalize(field, value) });

/** The key of the item that guards a value: an external id in the organization, a contact in a pipeline. */
export const guardKey = (
  organizationId: string,
  pipelineId: string,
  field: LookupField,
  value: string,
): GuardKey =>
  field === 'external_id'
    ? externalIdKind.key({ organizationId, externalId: value })
    : contactGuardKind.key(contactIds(organizationId, pipelineId, field, value));

/** `from`: the lead whose lookup the new lookup replaces. */
const putLookup = ({ guard, shared, field, leadId }: Lookup, from?: string): Write<'PutItem'> => {
  if (!guard) return put(shared, {});
  const attributes = { lead_id: leadId };
  return from === undefined
    ? put(guard, attributes, {
        condition: absent,
        refused: (existing) => duplicateError(field, existing ? [existing.lead_id] : []),
      })
    : put(guard, attributes, {
        condition: compare('lead_id', '=', from),
        refused: () => new ConflictError(),
      });
};

/** Reads from any item of a value's partition which lead has the value. */
export const foundLead = {
  parse: (item: Item): { leadId: string; guard?: ContactGuard } => {
    const key = toKey(item);
    if (key.sk !== contactGuardKind.sortTemplate) return contactLookupKind.idsOf(key);
    const guard = { ...key, ...guarding.parse(item) };
    return { leadId: guard.lead_id, guard };
  },
};

/** Names the leads that have the value. */
export const duplicateError = (field: LookupField, leadIds: readonly string[]): ApiError =>
  new ApiError('duplicate_lead', {
    details: leadIds.map((id) => ({
      path: field,
      message: `is the ${field} of lead ${id}`,
      lead_id: id,
    })),
  });
