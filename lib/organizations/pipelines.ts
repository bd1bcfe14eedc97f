import * as z from 'zod/mini';
import { text } from '../fields.ts';
import { organizationKeys, pipelineKey } from '../table/keys.ts';
import type { Item, Table, Write } from '../table/table.ts';

/** At most so many pipelines in an organization, and stages in a pipeline. */
export const mostPipelines = 50;
export const mostStages = 50;

export const contactFields = ['email', 'phone'] as const;
export type ContactField = (typeof contactFields)[number];

const stage = z.strictObject({
  name: text(50),
  outcome: z.enum(['open', 'won', 'lost']),
});

/** What one gives to make a pipeline. */
export const pipelineInput = z
  .strictObject({
    name: text(100),
    stages: z.array(stage).check(z.minLength(1), z.maxLength(mostStages)),
    default_stage: z.optional(text(50)),
    unique_contact: z.optional(
      z.array(z.enum(contactFields)).check(z.refine(distinct, { error: 'must have no doubles' })),
    ),
  })
  .check(
    z.refine(({ stages }) => distinct(stages.map(({ name }) => name)), {
      path: ['stages'],
      error: 'must have distinct names',
    }),
    z.refine(({ stages, default_stage }) => !default_stage || has(stages, default_stage), {
      path: ['default_stage'],
      error: 'must be one of the stages',
    }),
  );
export type PipelineInput = z.output<typeof pipelineInput>;

export interface Pipeline {
  id: string;
  name: string;
  stages: z.output<typeof stage>[];
  default_stage: string;
  unique_contact: ContactField[];
}

function distinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

const has = (stages: readonly { name: string }[], name: string): boolean =>
  stages.some((stage) => stage.name === name);

/** A pipeline's default stage is its first unless told; its leads are unique by email unless told. */
export const newPipeline = (id: string, input: PipelineInput): Pipeline => ({
  id,
  name: input.name,
  stages: input.stages,
  default_stage: input.default_stage ?? input.stages[0]!.name,
  unique_contact: input.unique_contact ?? ['email'],
});

export const putPipeline = (organizationId: string, pipeline: Pipeline): Write<'PutItem'> => ({
  Put: { Item: { ...pipelineKey(organizationId, pipeline.id), ...pipeline } },
});

export const toPipeline = ({ pk: _pk, sk: _sk, ...pipeline }: Item): Pipeline =>
  pipeline as unknown as Pipeline;

/** All pipelines of an organization that have a stage of this name. */
export const pipelinesWithStage = async (
  table: Table<'Query'>,
  organizationId: string,
  stage: string,
): Promise<Pipeline[]> => {
  const { pk, prefix } = organizationKeys(organizationId, 'PIPELINE');
  const { items } = await table.query({
    condition: 'pk = :pk AND begins_with(sk, :prefix)',
    values: { ':pk': pk, ':prefix': prefix },
    limit: mostPipelines,
  });
  return items.map(toPipeline).filter(({ stages }) => has(stages, stage));
};
