import type { components, operations } from '../schema.ts';

export type Field = Exclude<keyof components['schemas']['LeadPatch'], 'fields'>;

/** A lead can be without a `dispensable` field. Several columns can be one `joinable` field. */
type Trait = 'dispensable' | 'joinable';

/** Every field, in the order of an export. The type makes sure that no field is missing. */
const traits: Record<Field, readonly Trait[]> = {
  external_id: ['dispensable'],
  contact_name: ['joinable'],
  company_name: ['dispensable', 'joinable'],
  email: ['dispensable', 'joinable'],
  phone: ['dispensable', 'joinable'],
  pipeline_id: [],
  stage: ['dispensable'],
  owner_id: ['dispensable'],
  tags: ['dispensable', 'joinable'],
  value_cents: ['dispensable'],
  next_step_at: ['dispensable'],
  next_step: ['dispensable', 'joinable'],
};
/** The fields that a lead can be sent with, in the order of an export. */
export const fields = Object.keys(traits) as Field[];

const fieldsThatAre = (trait: Trait): readonly string[] =>
  fields.filter((field) => traits[field].includes(trait));

/** Fields that a lead can be without. */
export const dispensable = fieldsThatAre('dispensable');

/** Fields that several columns can be one of. */
export const joinable = fieldsThatAre('joinable');

export const isFieldName = (name: string): name is Field => Object.hasOwn(traits, name);

export type MatchField =
  operations['upsertLead']['requestBody']['content']['application/json']['match'];
const isMatchField: Record<MatchField, true> = { external_id: true, email: true, phone: true };
/** The fields by which a row finds its lead. */
export const matchFields = Object.keys(isMatchField) as MatchField[];

/** A column can be these, too: an amount in figures, its currency, and a name for leads that have no other. */
const otherTargets = ['value', 'currency', 'title'];
export const isTarget = (name: string): boolean => isFieldName(name) || otherTargets.includes(name);

/** The field that a column fills, or tells of. */
export const fieldOfTarget = (target: string): string =>
  target === 'value' || target === 'currency' ? 'value_cents' : target;

type SetByService = Exclude<keyof components['schemas']['Lead'], Field | 'fields'>;
const isTime: Record<SetByService, boolean> = {
  id: false,
  stage_entered_at: true,
  created_at: true,
  updated_at: true,
};
/** The names of an export that the service sets itself: the id first, and the times last. */
export const setByService: readonly string[] = Object.keys(isTime);
export const timesSetByService = setByService.filter((name) => isTime[name as SetByService]);

/** A lead as it is sent; what is not known stays, so that the service says so. */
export type Lead = Partial<Record<Field | 'fields', unknown>>;

/** A value that a row comes in without, or with only a part of it, and why. */
export interface LeftOut {
  field: string;
  message: string;
}

/** The lead of a row, or what is wrong with the row. */
export type Made =
  | {
      lead: Lead;
      /** Absent where a wrong value is to cost the row. */
      leftOut?: LeftOut[];
      /** Values of NDJSON that the service cuts. */
      cut?: LeftOut[];
      /** The name of new leads that have none. */
      name?: string | undefined;
      /** Whether something of its phone went into the field for that. */
      keptPhone?: boolean;
    }
  | { problem: string };

/** A lead in this pipeline, unless the lead names a pipeline. */
export const withPipeline = (lead: Lead, pipelineId: string | undefined): Lead => ({
  ...(pipelineId !== undefined && { pipeline_id: pipelineId }),
  ...lead,
});
