import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { handler as createField } from '../../../functions/fields/create-field.ts';
import { handler as createLead } from '../../../functions/leads/create-lead.ts';
import { handler as updateLead } from '../../../functions/leads/update-lead.ts';
import type { HttpHandler } from '../../../lib/handlers/http/middleware.ts';
import { type Lead, patchLead } from '../../../lib/leads/lead.ts';
import {
  createLeadWrites,
  mergeLeadWrites,
  updateLeadWrites,
} from '../../../lib/leads/lead-writes.ts';
import { mergeFields } from '../../../lib/leads/merge-fields.ts';
import { wordsOf } from '../../../lib/leads/search/words.ts';
import type { StoredLead } from '../../../lib/leads/stored-lead.ts';
import type { Pipeline } from '../../../lib/pipelines/pipeline.ts';
import { Organization, type Request, run } from '../support.ts';
import { leadOf, pipelineOf } from './leads-in-process.ts';

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

const somePipeline = () =>
  pipelineOf({
    stages: ['a', 'b'].map((name) => ({ name, outcome: 'open' })),
    unique_contact: ['email', 'phone'],
  });
/** A new lead that is counted in that shard, which the end of its id decides. */
const leadIn = (pipeline: Pipeline, input: object, shard: number): Lead => {
  const one = leadOf(pipeline, input);
  return { ...one, id: `${one.id.slice(0, -6)}00000${shard}` };
};
const storedLead = (
  lead: Lead,
  unique: StoredLead['unique'],
  filterable: readonly string[],
): StoredLead => ({ lead, version: 1, unique, filterable });

const actor = { organizationId: randomUUID(), userId: randomUUID() };

test('the largest change of a lead, with every tag, word, contact and filterable field replaced, fits into a transaction', () => {
  const pipeline = somePipeline();
  const before = leadOf(pipeline, lead(1));
  expect(wordsOf(before).length).toBe(11);
  expect(createLeadWrites(actor, before, pipeline, customFields).length).toBe(
    1 + 20 + 10 + 11 + 3 + 1 + 1,
  );
  const after = patchLead(before, { ...lead(2), stage: 'b' } as never, pipeline, Date.now());
  const stored = storedLead(before, ['email', 'phone'], customFields);
  const { writes } = updateLeadWrites(actor, stored, after, pipeline);
  expect(writes.length).toBe(1 + 40 + 20 + 22 + 6 + 2 + 1);
  expect(writes.length).toBeLessThanOrEqual(mostItems);
});

test('the largest merge fits into a transaction, whatever the survivor has already', () => {
  const [pipeline, elsewhere] = [somePipeline(), somePipeline()];
  const all = lead(1);
  const sizes = [];
  // Each of these is kept, the same, or comes from the other; names have so few words that others come or go.
  for (const otherPipeline of [pipeline, elsewhere]) {
    const other = leadIn(otherPipeline, { ...all, company_name: 'c1 c2 c3 c4 c5 c6 c7 c8' }, 1);
    const gone = storedLead(other, ['email', 'phone'], customFields);
    for (const email of [null, 'kept@example.org', all.email]) {
      for (const phone of [null, '+5511900000000', all.phone]) {
        for (const words of [1, 4, 8, 9, 10, 11, 12]) {
          const contact_name = Array.from({ length: words }, (_, i) => `kept${i}`).join(' ');
          const own = { contact_name, email, phone, tags: all.tags.slice(0, 19) };
          // From before the pipeline had them unique: what the other has alone becomes so.
          const before = storedLead(leadIn(pipeline, own, 2), [], []);
          const one = mergeFields(before, gone, Date.now());
          const gets = email === null || phone === null ? pipeline : undefined;
          sizes.push(mergeLeadWrites(actor, before, gone, one, gets).writes.length);
        }
      }
    }
  }
  expect(Math.max(...sizes)).toBe(mostItems - 1);
});

test('the largest change is made, with the record of its answer', async () => {
  const organization = await Organization.make();
  const send = (handler: HttpHandler, body: object, { headers = {}, path }: Request = {}) =>
    run(handler, {
      headers: { ...organization.headers({ 'Content-Type': 'application/json' }), ...headers },
      path: path ?? null,
      body: JSON.stringify(body),
    });
  for (const key of customFields) {
    await send(createField, { key, label: key, type: 'text', filterable: true });
  }
  const { id } = (await send(createLead, { ...lead(1), pipeline_id: organization.pipelineId }))
    .body;
  const change = { ...lead(2), stage: 'won' };
  const headers = { 'Idempotency-Key': randomUUID() };
  const { status, body } = await send(updateLead, change, { headers, path: { lead_id: id } });
  expect([status, body]).toMatchObject([200, change]);
});
