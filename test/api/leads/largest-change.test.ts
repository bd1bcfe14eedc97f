import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { changeWrites, createWrites } from '../../../lib/leads/change.ts';
import { leadInput, newLead, patched } from '../../../lib/leads/lead.ts';
import { newPipeline, pipelineInput } from '../../../lib/pipelines/pipeline.ts';
import { wordsOf } from '../../../lib/search/words.ts';
import { provision } from '../../support/organization.ts';

/** DynamoDB's own limit, and what is kept for the record of the answer and for fields to come. */
const mostItems = 100;
const kept = 21;

const lead = (n: number) => ({
  contact_name: Array.from({ length: 8 }, (_, i) => `n${n}w${i}`).join(' '),
  company_name: `Company${n}`,
  email: `lead-${n}@example-${n}.com`,
  phone: `+551198765432${n}`,
  external_id: `crm-${n}`,
  tags: Array.from({ length: 20 }, (_, i) => `tag ${n} ${i}`),
  value_cents: n,
});

test('the largest change of a lead, with every tag, word and contact replaced, fits into a transaction', () => {
  const stages = ['a', 'b'].map((name) => ({ name, outcome: 'open' as const }));
  const pipeline = newPipeline(
    randomUUID(),
    pipelineInput.parse({ name: 'Sales', stages, unique_contact: ['email', 'phone'] }),
    Date.now(),
  );
  const actor = { organizationId: randomUUID(), userId: randomUUID() };
  const before = newLead(leadInput.parse({ ...lead(1), pipeline_id: pipeline.id }), pipeline);
  expect(wordsOf(before).length).toBe(12);
  expect(createWrites(actor, before, pipeline, true).length).toBe(1 + 20 + 12 + 3 + 1 + 1);
  const after = patched(before, { ...lead(2), stage: 'b' } as never, pipeline, Date.now());
  const stored = { lead: before, version: 1, unique: pipeline.unique_contact, searchable: true };
  const { writes } = changeWrites(actor, stored, after, pipeline);
  expect(writes.length).toBe(1 + 40 + 24 + 6 + 2 + 1);
  expect(writes.length).toBeLessThanOrEqual(mostItems - kept);
});

test('and is done over HTTP', async () => {
  const organization = await provision();
  const { id } = await organization.lead(lead(1));
  const change = { ...lead(2), stage: 'won' };
  const headers = { 'idempotency-key': randomUUID() };
  const { status, body } = await organization.patch(`/leads/${id}`, change, { headers });
  expect([status, body]).toMatchObject([200, change]);
});
