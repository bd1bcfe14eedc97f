import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  newPipeline,
  patchPipeline,
  pipelineInput,
  pipelinePatch,
} from '../../../lib/pipelines/pipeline.ts';
import { issueDetails } from '../../../lib/schema/issues.ts';

const open = (name: string) => ({ name, outcome: 'open' });
const numbered = (count: number) => Array.from({ length: count }, (_, i) => open(`stage ${i}`));
const astral = '\u{1F680}';
const base = { name: 'P', stages: [open('new')] };

/** What is made of these fields in a new pipeline, and in a patch; or the paths of what is wrong. */
const outcomes = (fields: object) =>
  [pipelineInput.safeParse({ ...base, ...fields }), pipelinePatch.safeParse(fields)].map(
    ({ data, error }) => (error ? issueDetails(error).map(({ path }) => path) : data),
  );

test.each([
  { name: 'x' },
  { name: astral.repeat(100) },
  { stages: [{ name: astral.repeat(50), outcome: 'won' }, open('new')] },
  { stages: numbered(50) },
  { unique_contact: [] },
  { unique_contact: ['phone', 'email'] },
])('%j is taken', (fields) => {
  expect(outcomes(fields)).toMatchObject([fields, fields]);
});

test.each<[object, string]>([
  [{ name: '' }, 'name'],
  [{ name: astral.repeat(101) }, 'name'],
  [{ name: null }, 'name'],
  [{ stages: [] }, 'stages'],
  [{ stages: null }, 'stages'],
  [{ stages: numbered(51) }, 'stages'],
  [{ stages: [open('new'), open('new')] }, 'stages'],
  [{ stages: [open('x'.repeat(51))] }, 'stages.0.name'],
  [{ stages: [{ name: 'new', outcome: 'maybe' }] }, 'stages.0.outcome'],
  [{ stages: [{ ...open('new'), color: 'red' }] }, 'stages.0.color'],
  [{ default_stage: null }, 'default_stage'],
  [{ unique_contact: ['name'] }, 'unique_contact.0'],
  [{ unique_contact: ['email', 'email'] }, 'unique_contact'],
  [{ unique_contact: null }, 'unique_contact'],
])('%j is refused', (fields, path) => {
  expect(outcomes(fields)).toEqual([[path], [path]]);
});

const before = Date.parse('2026-11-22T00:00:00.000Z');
const pipeline = newPipeline(randomUUID(), pipelineInput.parse(base), before);

test('the default stage is one that the pipeline has then', () => {
  const patch = (fields: object) => patchPipeline(pipeline, pipelinePatch.parse(fields), before);
  const other = { stages: [open('other')] };
  expect(outcomes({ ...other, default_stage: 'new' })[0]).toEqual(['default_stage']);
  for (const fields of [other, { default_stage: 'old' }]) {
    const details = [expect.objectContaining({ path: 'default_stage' })];
    expect(() => patch(fields)).toThrow(expect.objectContaining({ details }));
  }
  expect(patch({ ...other, default_stage: 'other' })).toMatchObject({ default_stage: 'other' });
});

test('a change has no earlier time than the one before, though clocks differ', () => {
  const updatedAt = (now: number) =>
    patchPipeline(pipeline, pipelinePatch.parse({ name: 'Other' }), now).updated_at;
  expect(updatedAt(before - 5000)).toBe(new Date(before).toISOString());
  expect(updatedAt(before + 5000)).toBe(new Date(before + 5000).toISOString());
});
