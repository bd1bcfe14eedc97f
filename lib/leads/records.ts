import { ApiError } from '../errors.ts';
import type { ContactField, Pipeline } from '../organizations/pipelines.ts';
import { contactKey, indexPartition, leadKey, tagKey } from '../table/keys.ts';
import type { Item, Write } from '../table/table.ts';
import { createdAt, type Lead } from './lead.ts';

/** A lead's attributes. What is null or follows from the id is left out: bytes are what a page costs. */
const attributes = (lead: Lead): Item => ({
  contact_name: lead.contact_name,
  company_name: lead.company_name ?? undefined,
  email: lead.email ?? undefined,
  phone: lead.phone ?? undefined,
  pipeline_id: lead.pipeline_id,
  stage: lead.stage,
  owner_id: lead.owner_id ?? undefined,
  tags: lead.tags.length > 0 ? lead.tags : undefined,
  value_cents: lead.value_cents ?? undefined,
  updated_at: lead.updated_at === lead.created_at ? undefined : lead.updated_at,
});

/** The lead that an item holds: the lead's own, one from an index, or a tag's copy. */
export const toLead = (item: Item): Lead => {
  const id = item.sk as string;
  const created_at = createdAt(id);
  return {
    id,
    contact_name: item.contact_name as string,
    company_name: (item.company_name ?? null) as string | null,
    email: (item.email ?? null) as string | null,
    phone: (item.phone ?? null) as string | null,
    pipeline_id: item.pipeline_id as string,
    stage: item.stage as string,
    owner_id: (item.owner_id ?? null) as string | null,
    tags: (item.tags ?? []) as string[],
    value_cents: (item.value_cents ?? null) as number | null,
    created_at,
    updated_at: (item.updated_at ?? created_at) as string,
  };
};

/** The partitions of the secondary indexes that a lead is listed in. */
const indexEntries = (organizationId: string, lead: Lead): Item => {
  const { pipeline_id: pipeline, stage, owner_id: owner } = lead;
  const partition = (...values: string[]) => indexPartition(organizationId, ...values);
  return {
    p: partition(pipeline),
    ps: partition(pipeline, stage),
    ...(owner && {
      o: partition(owner),
      po: partition(pipeline, owner),
      pso: partition(pipeline, stage, owner),
    }),
  };
};

/** Writes a lead and its copy under each tag. */
export const putLead = (organizationId: string, lead: Lead): Write<'PutItem'>[] => [
  {
    Put: {
      Item: {
        ...leadKey(organizationId, lead.id),
        ...indexEntries(organizationId, lead),
        ...attributes(lead),
      },
    },
  },
  ...lead.tags.map((tag) => ({
    Put: { Item: { ...tagKey(organizationId, tag, lead.id), ...attributes(lead) } },
  })),
];

/** Takes the contacts that the pipeline wants unique; refused with `duplicate_lead`. */
export const takeContacts = (
  organizationId: string,
  pipeline: Pipeline,
  lead: Lead,
): Write<'PutItem'>[] =>
  pipeline.unique_contact.flatMap((field) => {
    const value = lead[field];
    if (value === null) return [];
    return {
      Put: {
        Item: {
          ...contactKey(organizationId, pipeline.id, field, normalizeContact(field, value)),
          lead_id: lead.id,
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
      refused: (existing) => duplicate(field, existing?.lead_id as string),
    };
  });

/** Email addresses are the same in any case; E.164 has one spelling. */
const normalizeContact = (field: ContactField, value: string): string =>
  field === 'email' ? value.toLowerCase() : value;

const duplicate = (field: ContactField, leadId: string): ApiError =>
  new ApiError('duplicate_lead', {
    details: [{ path: field, message: `is the ${field} of lead ${leadId}`, lead_id: leadId }],
  });
