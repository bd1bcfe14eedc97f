import type { components } from '../schema.ts';

export type Field = Exclude<keyof components['schemas']['LeadPatch'], 'fields'>;

/** Every field, by its type: an export loses no field of the API. */
const isField: Record<Field, true> = {
  external_id: true,
  contact_name: true,
  company_name: true,
  email: true,
  phone: true,
  pipeline_id: true,
  stage: true,
  owner_id: true,
  tags: true,
  value_cents: true,
  next_step_at: true,
  next_step: true,
};
/** The fields that a lead can be sent with, in the order of an export. */
export const fields = Object.keys(isField) as Field[];

export const isFieldName = (name: string): name is Field => Object.hasOwn(isField, name);

/** A column can be these, too: an amount in figures, its currency, and a name for leads that have no other. */
const otherTargets = ['value', 'currency', 'title'];
export const isTarget = (name: string): boolean => isFieldName(name) || otherTargets.includes(name);

/** The field that a column fills, or tells of. */
export const fieldOfTarget = (target: string): string =>
  target === 'value' || target === 'currency' ? 'value_cents' : target;

/** What an export has and the service sets itself. */
export const setByService = ['id', 'stage_entered_at', 'created_at', 'updated_at'];

/** A lead as it is sent; what is not known stays, so that the service says so. */
export type Lead = Partial<Record<Field | 'fields', unknown>>;

/** A value that a row comes in without, and why. */
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
      /** What a new lead is called that has no name. */
      name?: string | undefined;
      /** Whether something of its phone went into the field for that. */
      keptPhone?: boolean;
    }
  | { problem: string };

/** A lead in this pipeline, unless it names one. */
export const withPipeline = (lead: Lead, pipelineId: string | undefined): Lead => ({
  ...(pipelineId !== undefined && { pipeline_id: pipelineId }),
  ...lead,
});
