import { type changeIndex, indexPartition, type userIndex } from '../keys.ts';
import { idText, numberText, timeText } from './sortable.ts';

/** The indexes of leads by their ids: the attribute that is the partition key, and the fields by which each lists them. */
export const leadIndexes = {
  by_pipeline: { attribute: 'p', fields: ['pipeline_id'] },
  by_pipeline_stage: { attribute: 'ps', fields: ['pipeline_id', 'stage'] },
  by_owner: { attribute: 'o', fields: ['owner_id'] },
  by_pipeline_owner: { attribute: 'po', fields: ['pipeline_id', 'owner_id'] },
  by_pipeline_stage_owner: { attribute: 'pso', fields: ['pipeline_id', 'stage', 'owner_id'] },
} as const;
export type LeadIdIndex = keyof typeof leadIndexes;
export const leadIdIndexNames = Object.keys(leadIndexes) as LeadIdIndex[];

/** The indexes by ids whose partitions an order has: those of owners alone, or of pipelines, too. The preferred is first. */
type Within =
  | readonly ['by_owner']
  | readonly ['by_owner', 'by_pipeline']
  | readonly ['by_owner', 'by_pipeline_stage', 'by_pipeline'];

// docs/decisions/lists.md
/**
 * The orders of leads, beside that of their creation. For each field: the attribute that is the sort key of its indexes,
 * the indexes by ids that have the same partitions, and a form of `sortable.ts`: the value as a text that sorts as values do.
 */
export const leadOrders = {
  updated_at: { attribute: 'u', within: ['by_owner', 'by_pipeline'], text: timeText },
  value_cents: {
    attribute: 'v',
    within: ['by_owner', 'by_pipeline_stage', 'by_pipeline'],
    text: numberText,
  },
  next_step_at: { attribute: 'd', within: ['by_owner'], text: timeText },
} as const satisfies Record<string, { attribute: string; within: Within; text: unknown }>;
export type LeadOrder = keyof typeof leadOrders;
export const leadOrderNames = Object.keys(leadOrders) as LeadOrder[];
/** The orders in which the leads of an owner lie together, and others do not. */
export const ownersOrders = leadOrderNames.filter((order) =>
  leadOrders[order].within.every((index) => index === 'by_owner'),
);
export type OrderPartitions = Within[number];
type OrderIndex = {
  [O in LeadOrder]: `${(typeof leadOrders)[O]['within'][number]}_${O}`;
}[LeadOrder];
export type LeadIndex = LeadIdIndex | OrderIndex;

/** The index of an order that has the partitions of `within`. */
export const orderIndex = (order: LeadOrder, within: LeadIdIndex): LeadIndex =>
  `${within}_${order}` as OrderIndex;

/** Every index of leads, with its key attributes. */
export const leadIndexKeys: readonly { name: LeadIndex; partitionKey: string; sortKey: string }[] =
  [
    ...leadIdIndexNames.map((name) => ({
      name,
      partitionKey: leadIndexes[name].attribute,
      sortKey: 'sk',
    })),
    ...leadOrderNames.flatMap((order) =>
      leadOrders[order].within.map((within) => ({
        name: orderIndex(order, within),
        partitionKey: leadIndexes[within].attribute,
        sortKey: leadOrders[order].attribute,
      })),
    ),
  ];

/** A value of the field of an order, as a text that sorts as the values do. */
export const orderText = (order: LeadOrder, value: string | number): string => {
  const text: (value: never) => string = leadOrders[order].text;
  return text(value as never);
};

/** What the text of an order is made of. */
type OrderValue<O extends LeadOrder> = Parameters<(typeof leadOrders)[O]['text']>[0];

/** The sort key of a lead in an order: by its value, then by its id. Undefined where it has no value. */
export const orderKey = (
  order: LeadOrder,
  lead: { readonly id: string } & { readonly [O in LeadOrder]: OrderValue<O> | null },
): string | undefined => {
  const value = lead[order];
  return value === null ? undefined : orderText(order, value) + idText(lead.id);
};

export type LeadIndexField = (typeof leadIndexes)[LeadIdIndex]['fields'][number];

export type IndexName = LeadIndex | typeof userIndex.name | typeof changeIndex.name;

/** The partition of an index in which a lead with these fields is; undefined where it has not all that the index needs. */
export const leadIndexPartition = (
  organizationId: string,
  index: LeadIdIndex,
  lead: Partial<Record<LeadIndexField, string | null | undefined>>,
): string | undefined => {
  const fields: readonly LeadIndexField[] = leadIndexes[index].fields;
  const values = fields.flatMap((field) => lead[field] || []);
  return values.length === fields.length ? indexPartition(organizationId, ...values) : undefined;
};
