import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Lead, leadPatch, patchLead } from '../../../lib/leads/lead.ts';
import {
  deleteLeadWrites,
  mergeLeadWrites,
  updateLeadWrites,
} from '../../../lib/leads/lead-writes.ts';
import { mergeFields } from '../../../lib/leads/merge-fields.ts';
import { readHolders, type Upsert, upsertLead } from '../../../lib/leads/upsert.ts';
import { pipelineKind, putPipeline } from '../../../lib/pipelines/pipeline.ts';
import { commitIn, someOrigin } from '../../support/origin.ts';
import {
  beforeLeads,
  commit,
  pipelineOf,
  storedLead,
  storeLead,
  table,
} from './leads-in-process.ts';

// An upsert whose lead changes after it was read who has the value, and before the lead itself is read. Any writes at once:
// test/api/leads/races.test.ts.

const now = Date.now();

const values = {
  external_id: 'crm-1',
  email: 'ana@example.com',
  phone: '+5511987654321',
} as const;
type Match = keyof typeof values;
const matches = Object.keys(values) as Match[];

/** An organization with two pipelines that have contacts unique, and a lead in the first that has the value. */
const makeWorld = async (match: Match) => {
  const writer = { organizationId: randomUUID(), userId: someOrigin.by, origin: someOrigin, now };
  const [pipeline, other] = [1, 2].map(() => pipelineOf({ unique_contact: ['email', 'phone'] }));
  const { organizationId } = writer;
  for (const one of [pipeline!, other!]) {
    await commitIn(table)(putPipeline(organizationId, one));
  }
  const lead = await storeLead(writer, pipeline!, { [match]: values[match] });
  const change = async (patch: object, to = pipeline!) => {
    const before = await storedLead(organizationId, lead);
    const after = patchLead(before.lead, leadPatch.parse(patch), to, now + 1000);
    await commitIn(table)(updateLeadWrites(writer, before, after, to).writes);
  };
  const upsertMeanwhile = async (meanwhile: () => Promise<void>) => {
    const fields = { contact_name: 'Eva', pipeline_id: pipeline!.id, [match]: values[match] };
    const upsert: Upsert = { match, lead: leadPatch.parse(fields) };
    const key = pipelineKind.key({ organizationId, pipelineId: pipeline!.id });
    const { on } = beforeLeads((times) => (times === 1 ? meanwhile() : Promise.resolve()));
    const reading = { ...on, deadline: Date.now() + 60_000 } as never;
    const references = {
      pipeline: await table.get(key),
      owner: undefined,
      fields: undefined,
      holders: await readHolders(reading, organizationId, upsert),
    };
    return (await upsertLead(writer, upsert, references, reading, commit)).body;
  };
  const stored = async (one: Lead) => (await storedLead(organizationId, one)).lead;
  return { writer, pipeline: pipeline!, other: other!, lead, change, upsertMeanwhile, stored };
};

test.each(matches)(
  'a lead that gives up its %s meanwhile is left alone: another is made',
  async (match) => {
    const { lead, change, upsertMeanwhile, stored } = await makeWorld(match);
    const { outcome, lead: made } = await upsertMeanwhile(() => change({ [match]: null }));
    expect([outcome, made.contact_name, made[match]]).toEqual(['created', 'Eva', values[match]]);
    expect(made.id).not.toBe(lead.id);
    expect(await stored(lead)).toMatchObject({ contact_name: 'Ana', [match]: null });
  },
);

test.each(['email', 'phone'] as const)(
  'a lead that moves with its %s meanwhile is left alone: another is made where it was',
  async (match) => {
    const { lead, other, pipeline, change, upsertMeanwhile, stored } = await makeWorld(match);
    const move = () => change({ pipeline_id: other.id }, other);
    const { outcome, lead: made } = await upsertMeanwhile(move);
    expect([outcome, made.pipeline_id]).toEqual(['created', pipeline.id]);
    expect(await stored(lead)).toMatchObject({ contact_name: 'Ana', pipeline_id: other.id });
  },
);

test('a lead that moves meanwhile keeps its external id: it is the one that is meant', async () => {
  const { lead, other, change, upsertMeanwhile } = await makeWorld('external_id');
  const move = () => change({ pipeline_id: other.id }, other);
  expect(await upsertMeanwhile(move)).toMatchObject({
    outcome: 'updated',
    lead: { id: lead.id, contact_name: 'Eva', pipeline_id: other.id },
  });
});

test.each(matches)(
  'a lead that is merged meanwhile is changed as its survivor, found by its %s',
  async (match) => {
    const { writer, lead, pipeline, upsertMeanwhile } = await makeWorld(match);
    const survivor = await storeLead(writer, pipeline, {});
    const merge = async () => {
      const [before, from] = await Promise.all(
        [survivor, lead].map((one) => storedLead(writer.organizationId, one)),
      );
      const result = mergeFields(before!, from!, now + 1000);
      await commitIn(table)(mergeLeadWrites(writer, before!, from!, result, pipeline).writes);
    };
    expect(await upsertMeanwhile(merge)).toMatchObject({
      outcome: 'updated',
      lead: { id: survivor.id, contact_name: 'Eva', [match]: values[match] },
    });
  },
);

test.each(matches)('a lead that is deleted meanwhile is made anew, with its %s', async (match) => {
  const { writer, lead, upsertMeanwhile } = await makeWorld(match);
  const { outcome, lead: made } = await upsertMeanwhile(async () => {
    const before = await storedLead(writer.organizationId, lead);
    await commitIn(table)(deleteLeadWrites(writer, before, now + 1000));
  });
  expect([outcome, made[match], made.id === lead.id]).toEqual(['created', values[match], false]);
});
