import * as z from 'zod/mini';
import { currency } from '../schema/fields.ts';
import { jsonNumber } from '../schema/json-number.ts';
import { type Counter, sumByStage } from './counters.ts';
import { mostStages, type Pipeline, stage } from './pipeline.ts';

/** Sums can have more digits than a JavaScript number. */
const sums = { leads: z.int(), value_cents: z.number() };

/** The answer of `GET /pipelines/{pipeline_id}/summary`. */
export const pipelineSummary = z
  .strictObject({
    pipeline_id: z.uuid(),
    currency: currency().check(z.describe('Of all values: the organization’s.')),
    stages: z.array(z.strictObject({ ...stage.shape, ...sums })).check(z.maxLength(mostStages)),
    ...sums,
  })
  .check(z.meta({ id: 'PipelineSummary' }));
type PipelineSummary = z.output<typeof pipelineSummary>;

/** The stages in the pipeline's order, with what they have by all of its counters. */
export const summarize = (
  pipeline: Pipeline,
  counters: readonly Counter[],
  currency: string,
): PipelineSummary => {
  const ofStage = sumByStage(counters);
  let leads = 0;
  let value = 0n;
  const stages = pipeline.stages.map(({ name, outcome }) => {
    const total = ofStage.get(name) ?? { leads: 0, value_cents: 0n };
    leads += total.leads;
    value += total.value_cents;
    return { name, outcome, leads: total.leads, value_cents: jsonNumber(total.value_cents) };
  });
  return { pipeline_id: pipeline.id, currency, stages, leads, value_cents: jsonNumber(value) };
};
