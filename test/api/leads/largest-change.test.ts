import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { changeWrites, createWrites } from '../../../lib/leads/change.ts';
import { leadInput, newLead, patched } from '../../../lib/leads/lead.ts';
import { newPipeline, pipelineInput } from '../../../lib/pipelines/pipeline.ts';
import { wordsOf } from '../../../lib/search/words.ts';
import { provision } from '../../support/organization.ts';

/** DynamoDB's own limit, without the record of the answer. */
const mostItems = 99;

const customFields = Array.from({ length: 10 }, (_, i) => `field_${i}`);

const lead = (n: number) => ({
  contact_name: Array.from({ length: 8 }, (_, i) => `n${n}w${i}`).join(' '),
  company_name: `Company${n}`,
  email: `lead-${n}@example-${n}.com`,
  phone: `+551198765432${n}`,
  external_id: `crm-${n}`,
  tags: Array.from({ length: 20 }, (_, i) => `tag ${n} ${i}`),
  value_cents: n,
  fields: Object.fromEntries(customFields.map((key) => [key, `${n}${'é'.repeat(350)}`])),
});

test('the largest change of a lead, with every tag, word, contact and filterable field replaced, fits into a transaction', () => {
  const stages = ['a', 'b'].map((name) => ({ name, outcome: 'open' as const }));
  const pipeline = newPipeline(
    randomUUID(),
    pipelineInput.parse({ name: 'Sales', stages, unique_contact: ['email', 'phone'] }),
    Date.now(),
  );
  const actor = { organizationId: randomUUID(), userId: randomUUID() };
  const before = newLead(leadInput.parse({ ...lead(1), pipeline_id: pipeline.id }), pipeline);
  expect(wordsOf(before).length).toBe(12);
  expect(createWrites(actor, before, pipeline, true, customFields).length).toBe(
    1 + 20 + 10 + 12 + 3 + 1 + 1,
  );
  const after = patched(before, { ...lead(2), stage: 'b' } as never, pipeline, Date.now());
  const stored = {
    lead: before,
    version: 1,
    unique: pipeline.unique_contact,
    filterable: customFields,
    searchable: true,
  };
  const { writes } = changeWrites(actor, stored, after, pipeline);
  expect(writes.length).toBe(1 + 40 + 20 + 24 + 6 + 2 + 1);
  expect(writes.length).toBeLessThanOrEqual(mostItems);
});

test('and is done over HTTP', async () => {
  const organization = await provision();
  for (const key of customFields) {
    const field = { key, label: key, type: 'text', filterable: true };
    expect((await organization.post('/fields', field)).status).toBe(201);
  }
  const { id } = await organization.lead(lead(1));
  const change = { ...lead(2), stage: 'won' };
  const headers = { 'idempotency-key': randomUUID() };
  const { status, body } = await organization.patch(`/leads/${id}`, change, { headers });
  expect([status, body]).toMatchObject([200, change]);
});
