import { v7 } from 'uuid';
import * as z from 'zod/mini';
import { invalid } from '../errors.ts';
import { email, text, uuid } from '../fields.ts';
import type { Pipeline } from '../organizations/pipelines.ts';

const mostTags = 20;
export const tag = () => text(50);

const name = () => text(200);
const stage = () => text(50);
const phone = () => z.e164('must be a phone number in E.164 form, such as +5511987654321');
const tags = () =>
  z.array(tag()).check(
    z.maxLength(mostTags, `must have at most ${mostTags} tags`),
    z.refine((list) => new Set(list).size === list.length, { error: 'must have no doubles' }),
    z.meta({ uniqueItems: true }),
  );
const valueCents = () => z.int().check(z.nonnegative());

/** What every lead may have; `null` means absent. */
const optionalFields = {
  company_name: z.nullish(name()),
  email: z.nullish(email()),
  phone: z.nullish(phone()).check(z.describe('In E.164 form.')),
  owner_id: z.nullish(uuid()).check(z.describe('A member of the organization.')),
  // No tags are a list as well: what asks for the same has one form.
  tags: z.pipe(
    z.nullish(tags()),
    z.transform((list) => (list === null ? [] : list)),
  ),
  value_cents: z
    .nullish(valueCents())
    .check(z.describe('Potential value in cents of the organization’s currency.')),
};

/** The body of `POST /leads`, with `null` for what it leaves out: what asks for the same has one form. */
export const leadInput = z.pipe(
  z
    .strictObject({
      contact_name: name(),
      pipeline_id: uuid(),
      ...optionalFields,
    })
    .check(z.meta({ id: 'LeadInput', description: 'A field that is `null` is absent.' })),
  z.transform((input) => ({
    contact_name: input.contact_name,
    company_name: input.company_name ?? null,
    email: input.email ?? null,
    phone: input.phone ?? null,
    pipeline_id: input.pipeline_id,
    owner_id: input.owner_id ?? null,
    tags: input.tags ?? [],
    value_cents: input.value_cents ?? null,
  })),
);
export type LeadInput = z.output<typeof leadInput>;

/** The body of `PATCH /leads/{lead_id}`: a JSON merge patch (RFC 7396). `null` clears a field. */
export const leadPatch = z
  .strictObject({
    contact_name: z.optional(name()),
    pipeline_id: z.optional(uuid()),
    stage: z.optional(stage()).check(z.describe('A stage of the pipeline.')),
    ...optionalFields,
  })
  .check(
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
    contact_name: name(),
    company_name: z.nullable(name()),
    email: z.nullable(email()),
    phone: z.nullable(phone()),
    pipeline_id: z.uuid(),
    stage: stage(),
    owner_id: z.nullable(z.uuid()),
    tags: tags(),
    value_cents: z.nullable(valueCents()),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .check(z.meta({ id: 'Lead' }));
export type Lead = z.output<typeof lead>;

/** A new lead in the default stage of its pipeline. Its id is a UUIDv7: it holds `created_at`. */
export const newLead = (input: LeadInput, pipeline: Pipeline): Lead => {
  const id = v7();
  const { pipeline_id, owner_id, tags, value_cents, ...contact } = input;
  const created_at = createdAt(id);
  return {
    id,
    ...contact,
    pipeline_id,
    stage: pipeline.default_stage,
    owner_id,
    tags,
    value_cents,
    created_at,
    updated_at: created_at,
  };
};

/**
 * The lead after a patch. `pipeline` is the one it is in then, where the patch names a stage or a
 * pipeline; a lead that moves to another pipeline without naming a stage starts in its default stage.
 * Throws `invalid_request`.
 */
export const patched = (
  lead: Lead,
  patch: LeadPatch,
  pipeline: Pipeline | undefined,
  now: number,
): Lead => {
  const moves = patch.pipeline_id !== undefined && patch.pipeline_id !== lead.pipeline_id;
  const stage = patch.stage ?? (moves ? pipeline?.default_stage : undefined) ?? lead.stage;
  if (patch.stage !== undefined && !pipeline?.stages.some(({ name }) => name === stage)) {
    throw invalid('stage', 'is not a stage of the pipeline');
  }
  return {
    ...lead,
    ...given(patch),
    stage,
    updated_at: notBefore(lead.updated_at, now),
  };
};

/** Now, or the moment of the change before where that clock was ahead: history never goes back. */
export const notBefore = (last: string, now: number): string =>
  new Date(Math.max(now, Date.parse(last))).toISOString();

/** Without what is undefined, so that it can be spread over something. */
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** RFC 9562, 5.7: the first 48 bits of a UUIDv7 are milliseconds since the epoch. */
export const momentOf = (id: string): number =>
  Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

export const createdAt = (id: string): string => new Date(momentOf(id)).toISOString();

/** Comes before every id of a lead created at this moment, in milliseconds, and after all earlier. */
export const firstIdAt = (milliseconds: number): string => {
  const hex = milliseconds.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
};
