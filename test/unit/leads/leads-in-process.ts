import { randomUUID } from 'node:crypto';
import { type Lead, leadInput, newLead } from '../../../lib/leads/lead.ts';
import { createLeadWrites, type LeadAction } from '../../../lib/leads/lead-writes.ts';
import { leadKind, toStoredLead } from '../../../lib/leads/stored-lead.ts';
import type { Commit } from '../../../lib/operations/commit.ts';
import { newPipeline, type Pipeline, pipelineInput } from '../../../lib/pipelines/pipeline.ts';
import { openTable } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/place.ts';
import type { QueryInput } from '../../../lib/table/table.ts';
import { commitIn } from '../../support/origin.ts';
import '../support.ts';

// Leads as they are stored, without a request.

export const table = openTable();

/** Commits what an operation changes, and gives back its reply. */
export const commit: Commit<LeadAction> = async (changed, reply, options) => {
  await commitIn(table)(changed, options);
  return reply;
};

/** A pipeline that no table has, with one stage unless told. */
export const pipelineOf = (fields: object = {}, id: string = randomUUID()): Pipeline => {
  const stages = [{ name: 'new', outcome: 'open' }];
  const input = pipelineInput.parse({ name: 'Sales', stages, unique_contact: [], ...fields });
  return newPipeline(id, input, Date.now());
};

/** A lead that no table has. */
export const leadOf = (pipeline: Pipeline, input: object = {}): Lead =>
  newLead(leadInput.parse({ contact_name: 'Ana', pipeline_id: pipeline.id, ...input }), pipeline);

/** A lead that the table has. */
export const storeLead = async (
  actor: { organizationId: string },
  pipeline: Pipeline,
  input: object,
): Promise<Lead> => {
  const lead = leadOf(pipeline, input);
  await commitIn(table)(createLeadWrites(actor, lead, pipeline));
  return lead;
};

/** The lead as the table has it. */
export const storedLead = async (organizationId: string, { id }: Lead) =>
  toStoredLead((await table.get(leadKind.key({ organizationId, leadId: id })))!);

/** The table, of which a query examines so many items at most, and what was asked of it and examined. */
export const countingTable = (mostAtOnce = Number.POSITIVE_INFINITY) => {
  const counts = { words: 0, others: 0, queries: [] as string[] };
  const query = async (input: QueryInput<'Query'>) => {
    const limit = Math.min(input.limit, mostAtOnce);
    const page = await table.query({ ...input, limit });
    const { values, startAfter } = input;
    counts.queries.push(JSON.stringify([values, startAfter]));
    counts[String(values[':pk']).startsWith('WORDS#') ? 'words' : 'others'] += page.examined;
    return page;
  };
  const getAll = (keys: readonly (Key | undefined)[]) => {
    counts.others += keys.length;
    return table.getAll(keys);
  };
  const on = { query, get: table.get.bind(table), getAll, getAllEventually: getAll };
  return { on: on as unknown as typeof table, counts };
};

/** The table, where something happens each time that leads are about to be read: who they are is known by then. */
export const beforeLeads = (meanwhile: (times: number) => Promise<void>) => {
  let times = 0;
  const getAll: typeof table.getAll = async (keys) => {
    if (keys.some((key) => key?.pk.startsWith('LEADS#'))) await meanwhile(++times);
    return table.getAll(keys);
  };
  const on = {
    getAll,
    getAllEventually: table.getAllEventually.bind(table),
    query: table.query.bind(table),
    get: table.get.bind(table),
  };
  return { on, times: () => times };
};
