import { expect, test } from 'vitest';
import { leadPatch, patchLead } from '../../../lib/leads/lead.ts';
import { leadOf, pipelineOf } from './leads-in-process.ts';

const stages = ['new', 'won'].map((name) => ({ name, outcome: 'open' }));
const [pipeline, other] = [pipelineOf({ stages }), pipelineOf({ stages })];
const lead = leadOf(pipeline);
const later = Date.parse(lead.created_at) + 1000;
const patched = (patch: object, now = later, before = lead) =>
  patchLead(before, leadPatch.parse(patch), 'pipeline_id' in patch ? other : pipeline, now);

test('a new lead is in its stage since it was made', () => {
  expect(lead.stage_entered_at).toBe(lead.created_at);
});

test.each([
  ['another stage', { stage: 'won' }],
  ['a stage of the same name in another pipeline', { pipeline_id: other.id }],
  ['another pipeline with its stage', { pipeline_id: other.id, stage: 'new' }],
])('a lead enters %s when it is changed', (_, patch) => {
  const after = patched(patch);
  expect(after.stage_entered_at).toBe(new Date(later).toISOString());
  expect(after.updated_at).toBe(after.stage_entered_at);
});

test.each([
  ['other fields', { contact_name: 'Eva', next_step: 'Call' }],
  ['the stage and pipeline where it is', { stage: 'new', pipeline_id: pipeline.id }],
])('a lead that gets %s stays in its stage', (_, patch) => {
  expect(patched({ stage: 'won' }).stage_entered_at).not.toBe(lead.stage_entered_at);
  expect(patched(patch).stage_entered_at).toBe(lead.stage_entered_at);
});

test('no lead enters a stage before its last change, whatever the clock says', () => {
  const won = patched({ stage: 'won' });
  expect(patched({ stage: 'new' }, later - 500, won).stage_entered_at).toBe(won.updated_at);
});
