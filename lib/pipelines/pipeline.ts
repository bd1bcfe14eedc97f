import * as z from 'zod/mini';
import { invalid } from '../errors/errors.ts';
import { FactKind } from '../facts/fact.ts';
import { changedFields, settingFact } from '../facts/setting.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import { mostPipelines } from '../organizations/limits.ts';
import { text } from '../schema/fields.ts';
import {
  applyPatch,
  inputShape,
  outputShape,
  patchShape,
  required,
  storedShape,
} from '../schema/resource.ts';
import { absent, atVersion } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { type ItemOf, Kind } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table } from '../table/table.ts';
import { put } from '../table/write.ts';

/** How many stages a pipeline can have at most. */
export const mostStages = 50;

export const contactFields = ['email', 'phone'] as const;
export type ContactField = (typeof contactFields)[number];

const name = () => text(100);
export const stageOutcomes = ['open', 'won', 'lost'] as const;
const outcome = z.enum(stageOutcomes);
const stageName = () => text(50);
/** A stage, as it is sent and as it is answered. */
export const stage = z.strictObject({ name: stageName(), outcome });

const isDistinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

const hasStage = (stages: readonly { name: string }[], name: string): boolean =>
  stages.some((stage) => stage.name === name);

const stages = z.array(stage).check(
  z.minLength(1),
  z.maxLength(mostStages),
  z.refine((list) => isDistinct(list.map(({ name }) => name)), {
    error: 'must have distinct names',
  }),
);
const uniqueContact = z.array(z.enum(contactFields)).check(
  z.refine(isDistinct, { error: 'must have no doubles' }),
  z.meta({
    uniqueItems: true,
    maxItems: contactFields.length,
    description: 'No two leads of the pipeline share one of these.',
  }),
);

/** Every field of a pipeline, in the order in which they are answered. */
const fields = {
  name: required(name()),
  stages: required(stages),
  default_stage: required(stageName()),
  unique_contact: required(uniqueContact),
};
const fieldNames = Object.keys(fields) as (keyof typeof fields)[];

/** The body that makes a pipeline: fields with a default may be left out. */
export const pipelineRequest = z
  .strictObject({
    ...inputShape(fields),
    default_stage: z.optional(stageName()),
    unique_contact: z.optional(uniqueContact),
  })
  .check(
    z.refine(({ stages, default_stage }) => !default_stage || hasStage(stages, default_stage), {
      path: ['default_stage'],
      error: 'must be one of the stages',
    }),
    z.meta({ id: 'PipelineInput' }),
  );

/** By default, the default stage is the first, and leads are unique by email. */
export const withDefaults = ({
  default_stage,
  unique_contact,
  ...given
}: z.output<typeof pipelineRequest>) => ({
  ...given,
  default_stage: default_stage ?? given.stages[0]!.name,
  unique_contact: unique_contact ?? (['email'] satisfies ContactField[]),
});

/** The body that makes a pipeline. */
export const pipelineInput = z.pipe(pipelineRequest, z.transform(withDefaults));
export type PipelineInput = z.output<typeof pipelineInput>;

/**
 * The body of `PATCH /pipelines/{pipeline_id}`: a JSON merge patch (RFC 7396). A pipeline always has every field,
 * so none can be `null`.
 */
export const pipelinePatch = z.strictObject(patchShape(fields)).check(
  z.meta({
    id: 'PipelinePatch',
    description: 'A JSON merge patch (RFC 7396); no field takes `null`.',
  }),
);
export type PipelinePatch = z.output<typeof pipelinePatch>;

/** A pipeline as the API answers it. */
export const pipeline = z
  .strictObject({
    id: z.uuid(),
    ...outputShape(fields),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .check(z.meta({ id: 'Pipeline' }));
export type Pipeline = z.output<typeof pipeline>;

export const pipelineKind = new Kind(places.pipeline, {
  hasFacts: true,
  holds: 'a pipeline; all pipelines',
  attributes: z.object({
    id: z.uuid(),
    ...storedShape(fields),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    /** 1 when created. Rises by one with every change. */
    version: z.int(),
  }),
});
export type StoredPipeline = ItemOf<typeof pipelineKind>;

export const toPipeline = ({ pk, sk, version, ...pipeline }: StoredPipeline): Pipeline => pipeline;

export const newPipeline = (id: string, input: PipelineInput, now: number): Pipeline => {
  const created_at = new Date(now).toISOString();
  return z.parse(z.object(pipeline.shape), { ...input, id, created_at, updated_at: created_at });
};

/** The pipeline after a patch. Throws `invalid_request`. */
export const patchPipeline = (before: Pipeline, patch: PipelinePatch, now: number): Pipeline => {
  const updated_at = new Date(Math.max(now, Date.parse(before.updated_at))).toISOString();
  const after = { ...applyPatch(before, patch), updated_at };
  if (hasStage(after.stages, after.default_stage)) return after;
  throw invalid('default_stage', 'must be one of the stages that the pipeline has then');
};

/** The stages that `a` has and `b` does not have. */
export const stagesOnlyIn = (a: Pipeline, b: Pipeline): string[] =>
  a.stages.map(({ name }) => name).filter((name) => !hasStage(b.stages, name));

export const pipelineTypes = ['pipeline.created', 'pipeline.updated'] as const;

export const pipelineFactKind = new FactKind(places.pipelineFact, {
  holds: 'what happened to a pipeline',
  thing: places.pipeline,
  attributes: z.object({ ...settingFact, type: z.enum(pipelineTypes) }),
});

/** Writes a pipeline in place of the pipeline that was read. Refused with `ConflictError` if it was changed meanwhile. */
export const putPipeline = (
  organizationId: string,
  after: Pipeline,
  before?: StoredPipeline,
): WriteOrFact<'PutItem'>[] => {
  const version = (before?.version ?? 0) + 1;
  return [
    put(
      pipelineKind.key({ organizationId, pipelineId: after.id }),
      { ...after, version },
      {
        condition: before ? atVersion(before.version) : absent,
        refused: () => new ConflictError(),
      },
    ),
    pipelineFactKind.fact(
      { organizationId, pipelineId: after.id },
      {
        type: before ? 'pipeline.updated' : 'pipeline.created',
        version,
        at: after.updated_at,
        changed: changedFields(before, after, fieldNames),
      },
    ),
  ];
};

/** All pipelines of an organization, in the order in which they were made. */
export const readPipelines = async (
  table: Table<'Query'>,
  organizationId: string,
  options: { consistent?: boolean } = {},
): Promise<Pipeline[]> => {
  const { items } = await table.query({
    kind: pipelineKind,
    condition: 'pk = :pk',
    values: { ':pk': pipelineKind.partition({ organizationId }) },
    limit: mostPipelines,
    ...options,
  });
  return items.map(toPipeline);
};
