import { ApiError } from '../errors/errors.ts';
import { type ContactField, contactFields, type Pipeline } from '../pipelines/pipeline.ts';
import { contactKey, externalIdKey, guard, type Key } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Write } from '../table/table.ts';
import type { Lead } from './lead.ts';

/** What a lead can be found by, as it is or in another case of letters. */
export const lookupFields = ['external_id', ...contactFields] as const;
export type LookupField = (typeof lookupFields)[number];

/** Email addresses are the same in any case; E.164 has one spelling. */
export const normalize = (field: keyof Lead, value: string): string =>
  field === 'email' ? value.toLowerCase() : value;

type Contacts = Pick<Lead, 'pipeline_id' | ContactField>;

// docs/decisions/unique-contacts.md
/** The contacts by which a lead in this pipeline has to be unique. */
export const uniqueContacts = (pipeline: Pipeline, lead: Contacts): ContactField[] =>
  pipeline.unique_contact.filter((field) => lead[field] !== null);

/**
 * The contacts by which a lead is unique after an update. A new contact is unique if the pipeline says so. A contact
 * that stays is as it was: a lead from before the pipeline made it unique may share it. `other` is a lead that is merged into this one: if a contact
 * of both was unique there, it becomes unique here.
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
): boolean => {
  const [own, others] = [lead[field], other[field]];
  return (
    unique.includes(field) &&
    lead.pipeline_id === other.pipeline_id &&
    own !== null &&
    others !== null &&
    normalize(field, own) === normalize(field, others)
  );
};

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
      .map(([, { key }]) => ({ Delete: { Key: key } })),
    ...[...has]
      .filter(([id]) => !had.has(id))
      .map(([id, item]) => putLookup(item, fromOther.get(id)?.leadId)),
  ];
};

/** An item by which a lead is found. */
interface LookupItem {
  key: Key;
  field: LookupField;
  leadId: string;
}

const lookupsByKey = (
  organizationId: string,
  lookupLead: LookupLead | undefined,
): ReadonlyMap<string, LookupItem> =>
  new Map(
    (lookupLead ? lookupItems(organizationId, lookupLead) : []).map((item) => [
      `${item.key.pk} ${item.key.sk}`,
      item,
    ]),
  );

/** The items by which a lead is found: one for its external id, and one for each of its contacts. */
const lookupItems = (organizationId: string, { lead, unique }: LookupLead): LookupItem[] =>
  lookupFields.flatMap((field) => {
    const value = lead[field];
    if (value === null) return [];
    const isShared = field !== 'external_id' && !unique.includes(field);
    const sortKey = isShared ? lead.id : guard;
    const key = lookupKey(organizationId, lead.pipeline_id, field, value, sortKey);
    return [{ key, field, leadId: lead.id }];
  });

/** The key of what is found by a value: an external id's is of the organization, a contact's of a pipeline. */
export const lookupKey = (
  organizationId: string,
  pipelineId: string,
  field: LookupField,
  value: string,
  sortKey?: string,
): Key =>
  field === 'external_id'
    ? externalIdKey(organizationId, value)
    : contactKey(organizationId, pipelineId, field, normalize(field, value), sortKey);

/** `from`: the lead whose lookup item this one replaces. */
const putLookup = ({ key, field, leadId }: LookupItem, from?: string): Write<'PutItem'> => {
  if (key.sk !== guard) return { Put: { Item: { ...key } } };
  const Item = { ...key, lead_id: leadId };
  if (from !== undefined) {
    const condition = {
      ConditionExpression: 'lead_id = :from',
      ExpressionAttributeValues: { ':from': from },
    };
    return { Put: { Item, ...condition }, refused: () => new ConflictError() };
  }
  return {
    Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' },
    refused: (existing) => duplicateError(field, [existing?.lead_id as string]),
  };
};

/** The lead that is found by such an item. */
export const leadIdOfItem = (item: Item): string => (item.lead_id ?? item.sk) as string;

/** Names the leads that have the value. */
export const duplicateError = (field: LookupField, leadIds: readonly string[]): ApiError =>
  new ApiError('duplicate_lead', {
    details: leadIds.map((id) => ({
      path: field,
      message: `is the ${field} of lead ${id}`,
      lead_id: id,
    })),
  });
