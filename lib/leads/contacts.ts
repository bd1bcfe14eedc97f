import { ApiError } from '../operations/errors.ts';
import type { ContactField, Pipeline } from '../pipelines/pipeline.ts';
import { contactKey, type Key } from '../table/keys.ts';
import type { Write } from '../table/table.ts';
import type { Lead } from './lead.ts';

/** Email addresses are the same in any case; E.164 has one spelling. */
const normalize = (field: ContactField, value: string): string =>
  field === 'email' ? value.toLowerCase() : value;

type Contacts = Pick<Lead, 'pipeline_id' | ContactField>;

/** The contacts by which a lead in this pipeline has to be unique. */
export const uniqueContacts = (pipeline: Pipeline, lead: Contacts): ContactField[] =>
  pipeline.unique_contact.filter((field) => lead[field] !== null);

const keyOf = (organizationId: string, lead: Contacts, field: ContactField): Key =>
  contactKey(organizationId, lead.pipeline_id, field, normalize(field, lead[field] ?? ''));

/** What a new lead takes: of two leads with one of these in common, only one can be made. */
export const guardsOf = (organizationId: string, pipeline: Pipeline, lead: Contacts): string[] =>
  uniqueContacts(pipeline, lead).map((field) => keyOf(organizationId, lead, field).pk);

/** A lead with the contacts that it holds guards of. */
export interface Holder {
  lead: Lead;
  unique: readonly ContactField[];
}

/**
 * Frees the contacts that a lead held before and takes those that it has to hold after, in one
 * transaction with its change. Taking one that another lead holds is refused with `duplicate_lead`.
 */
export const changeContacts = (
  organizationId: string,
  before: Holder | undefined,
  after: Holder | undefined,
): Write<'PutItem' | 'DeleteItem'>[] => {
  const held = heldBy(organizationId, before);
  const wanted = heldBy(organizationId, after);
  const freed = [...held].filter(([id]) => !wanted.has(id));
  const taken = [...wanted].filter(([id]) => !held.has(id));
  return [
    ...freed.map(([, { key }]) => ({ Delete: { Key: key } })),
    ...taken.map(([, { key, field, leadId }]) => ({
      Put: {
        Item: { ...key, lead_id: leadId },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
      refused: (existing?: Record<string, unknown>) =>
        duplicate(field, existing?.lead_id as string),
    })),
  ];
};

const heldBy = (organizationId: string, holder: Holder | undefined) =>
  new Map(
    (holder?.unique ?? []).map((field) => {
      const { lead } = holder as Holder;
      const key = keyOf(organizationId, lead, field);
      return [key.pk, { key, field, leadId: lead.id }];
    }),
  );

const duplicate = (field: ContactField, leadId: string): ApiError =>
  new ApiError('duplicate_lead', {
    details: [{ path: field, message: `is the ${field} of lead ${leadId}`, lead_id: leadId }],
  });
