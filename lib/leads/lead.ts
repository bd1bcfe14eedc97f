import { v7 } from 'uuid';
import * as z from 'zod/mini';
import { invalid } from '../errors/errors.ts';
import { perhaps } from '../errors/nearest.ts';
import { fieldValues, fieldValuesPatch } from '../fields/values.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { email, text, userId, utcDateTime, uuid } from '../schema/fields.ts';
import { withHints } from '../schema/issue-message.ts';
import {
  applyPatch,
  inputShape,
  list,
  map,
  nullable,
  outputShape,
  patchShape,
  required,
} from '../schema/resource.ts';
import { storedTags, tags } from './tags.ts';

const name = () => text(200);
const stage = () => text(50);
export const externalId = () => text(200);
export const phone = () => z.e164('must be a phone number in E.164 form, such as +5511987654321');
const valueCents = () => z.int().check(z.nonnegative());

/**
 * Every field of a lead, in the order in which they are answered. What is added here can be sent, patched
 * and answered, is stored, and is in the history and the events.
 */
export const leadFields = {
  contact_name: required(name()),
  company_name: nullable(name()),
  email: nullable(email()),
  phone: nullable(phone(), { description: 'In E.164 form, such as +5511987654321.' }),
  external_id: nullable(externalId(), {
    description: 'What another system calls it. No two leads of the organization share one.',
  }),
  pipeline_id: required(uuid(), { output: z.uuid() }),
  stage: required(stage(), { description: 'A stage of the pipeline.' }),
  owner_id: nullable(userId(), { output: z.guid(), description: 'A member of the organization.' }),
  tags: list(tags(), {
    output: storedTags(),
    description: 'Stored in Unicode’s form NFC, without blanks around them.',
  }),
  value_cents: nullable(valueCents(), {
    description: 'Potential value in cents of the organization’s currency.',
  }),
  next_step_at: nullable(utcDateTime(), {
    output: z.iso.datetime(),
    description: 'When the next step is due.',
  }),
  next_step: nullable(text(200), { description: 'What has to be done next.' }),
  fields: map(fieldValuesPatch(), {
    output: fieldValues(),
    description: 'Custom fields by their keys. `null` clears one; one that is left out stays.',
  }),
};
export const leadFieldNames = Object.keys(leadFields) as (keyof typeof leadFields)[];

/** A new lead is in its pipeline's default stage. */
const { stage: _, ...inputFields } = leadFields;

const noStage =
  '; a new lead is in the default stage of its pipeline, and an upsert may have another';

/** The body of `POST /leads`. */
export const leadInput = z
  .strictObject(inputShape(inputFields), { error: withHints(new Map([['stage', noStage]])) })
  .check(z.meta({ id: 'LeadInput', description: 'A field that is `null` is absent.' }));
export type LeadInput = z.output<typeof leadInput>;

/** The body of `PATCH /leads/{lead_id}`: a JSON merge patch (RFC 7396). */
export const leadPatch = z.strictObject(patchShape(leadFields)).check(
  z.meta({
    id: 'LeadPatch',
    description: 'A JSON merge patch (RFC 7396): `null` clears a field.',
  }),
);
export type LeadPatch = z.output<typeof leadPatch>;

export const leadPath = z.strictObject({ lead_id: uuid() });

/** A lead as the API answers it. */
export const lead = z
  .strictObject({
    id: z.uuid(),
    ...outputShape(leadFields),
    stage_entered_at: z.iso.datetime().check(z.describe('Since when the lead is in its stage.')),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .check(z.meta({ id: 'Lead' }));
export type Lead = z.output<typeof lead>;

/**
 * A new lead, in the default stage of its pipeline unless told. Its id is a UUIDv7: it holds
 * `created_at`. Its custom fields have to be checked already.
 */
export const newLead = (
  input: LeadInput,
  pipeline: Pipeline,
  stage = pipeline.default_stage,
): Lead => {
  assertStage(stage, pipeline);
  const id = v7();
  const created_at = creationTime(id);
  const times = { stage_entered_at: created_at, created_at, updated_at: created_at };
  return z.parse(lead, { ...input, id, stage, ...times });
};

/**
 * The lead after a patch. `pipeline` is the lead's pipeline after the patch, where the patch names a stage or a pipeline;
 * a lead that moves to another pipeline without naming a stage starts in its default stage. Throws `invalid_request`.
 */
export const patchLead = (
  lead: Lead,
  patch: LeadPatch,
  pipeline: Pipeline | undefined,
  now: number,
): Lead => {
  const moves = patch.pipeline_id !== undefined && patch.pipeline_id !== lead.pipeline_id;
  const stage = patch.stage ?? (moves ? pipeline?.default_stage : undefined) ?? lead.stage;
  if (patch.stage !== undefined) assertStage(stage, pipeline);
  const updated_at = monotonicTime(lead.updated_at, now);
  const stage_entered_at = moves || stage !== lead.stage ? updated_at : lead.stage_entered_at;
  return { ...applyPatch(lead, patch), stage, stage_entered_at, updated_at };
};

const assertStage = (stage: string, pipeline: Pipeline | undefined): void => {
  const names = pipeline?.stages.map(({ name }) => name) ?? [];
  if (names.includes(stage)) return;
  const told = `is not a stage of the pipeline${perhaps(stage, names)}`;
  throw invalid('stage', `${told}: there are ${names.join(', ')}`);
};

/** The moment of a change: now, or that of the change before where its clock was ahead. History never goes back. */
export const monotonicTime = (last: string, now: number): string =>
  new Date(Math.max(now, Date.parse(last))).toISOString();

/** RFC 9562, 5.7: the first 48 bits of a UUIDv7 are milliseconds since the epoch. */
export const creationMs = (id: string): number =>
  Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

export const creationTime = (id: string): string => new Date(creationMs(id)).toISOString();

/** Comes before every id of a lead created at this moment, in milliseconds, and after all earlier. */
export const firstIdAt = (milliseconds: number): string => {
  const hex = milliseconds.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
};
