import * as z from 'zod/mini';
import { ApiError, invalid, mostDetails } from '../errors/errors.ts';
import { noFields, updateCustomFields } from '../fields/check.ts';
import type { StoredFields } from '../fields/definition.ts';
import type { Commit } from '../operations/commit.ts';
import type { Reply } from '../operations/request.ts';
import { type Pipeline, type StoredPipeline, toPipeline } from '../pipelines/pipeline.ts';
import { etag } from '../schema/etag.ts';
import { ConflictError, retryOnConflict } from '../table/retry.ts';
import type { Reader, ReadOnly } from '../table/table.ts';
import { duplicateError, foundLead, guardKey, type LookupField, normalize } from './contacts.ts';
import { assertUnique, type Guards, guardKeys, readGuards } from './guards.ts';
import { type LeadPatch, leadInput, newLead } from './lead.ts';
import {
  createLeadWrites,
  type LeadAction,
  type LeadWrite,
  type TimedWriter,
} from './lead-writes.ts';
import { leadKind, type StoredLead, toStoredLead } from './stored-lead.ts';
import {
  assertOwner,
  assertPipeline,
  foreseePatch,
  type PatchReferences,
  patchWrites,
} from './update.ts';
import type { UpsertResult } from './upsert-schema.ts';

/** What an upsert asks for. */
export interface Upsert {
  match: LookupField;
  lead: LeadPatch;
  move?: boolean | undefined;
}

/** The items that an upsert refers to. */
export interface ReferenceItems {
  pipeline: StoredPipeline | undefined;
  owner: { role?: unknown } | undefined;
  /** The definitions of custom fields, where the lead names some. */
  fields: StoredFields | undefined;
}

type UpsertTable = Reader<'GetItem' | 'Query'>;

/** Who has what an upsert names, strongly consistent. */
export interface Holders {
  /** The leads that had the value of the field to match, as they were read after that; none, where it is not given. */
  leads: readonly StoredLead[];
  ids: readonly string[];
  /** The guards of all values, in the pipeline that is named. */
  guards: Guards;
}

/** Takes two round trips where there are leads, else a single round trip. */
export const readHolders = async (
  table: ReadOnly<'GetItem' | 'Query'>,
  organizationId: string,
  { match, lead }: Upsert,
): Promise<Holders> => {
  const { [match]: value, pipeline_id } = lead;
  if (!value || (match !== 'external_id' && pipeline_id === undefined)) {
    return { leads: [], ids: [], guards: new Map() };
  }
  const { pk } = guardKey(organizationId, pipeline_id ?? '', match, value);
  const [{ items }, guards] = await Promise.all([
    table.query({
      kind: foundLead,
      condition: 'pk = :pk',
      values: { ':pk': pk },
      // One item is enough to find the lead. If there are several, the error names as many as it can.
      limit: mostDetails,
      consistent: true,
    }),
    readGuards(table, guardKeys(organizationId, pipeline_id, { ...lead, [match]: null })),
  ]);
  const ownGuard = items.find(({ guard }) => guard)?.guard;
  const ids = [...new Set(items.map(({ leadId }) => leadId))];
  const leads = await table.getAll(ids.map((leadId) => leadKind.key({ organizationId, leadId })));
  return {
    leads: leads.flatMap((item) => (item ? toStoredLead(item) : [])),
    ids,
    guards: new Map([...guards, [pk, ownGuard]]),
  };
};

/**
 * Merges what is given into the lead that has it already, or makes a new lead. Where another request makes, changes or
 * deletes that lead meanwhile, it begins anew with what is there then. `holders` are those that were read. Throws
 * `invalid_request`, `duplicate_lead`, and `write_conflict` when the others don't end.
 */
export const upsertLead = (
  writer: TimedWriter,
  upsert: Upsert,
  references: ReferenceItems & { holders: Holders },
  table: UpsertTable,
  commit: Commit<LeadAction>,
): Promise<Reply<UpsertResult>> => {
  assertPipeline(upsert.lead, references);
  const pipeline = references.pipeline && toPipeline(references.pipeline);
  assertMatchable(upsert, pipeline);
  const readAgain = () => readHolders(table, writer.organizationId, upsert);
  return retryOnConflict(table, references.holders, readAgain, async (holders) => {
    const before = matchOf(upsert, holders);
    assertOwner(upsert.lead, references, before?.lead);
    try {
      return before
        ? await updateMatch(
            writer,
            upsert,
            before,
            { target: pipeline, fields: references.fields, guards: holders.guards },
            table,
            commit,
          )
        : await createFromUpsert(
            writer,
            upsert,
            pipeline,
            { ...references, holders },
            table,
            commit,
          );
    } catch (error) {
      const path = duplicatePath(error);
      if (path === undefined) throw error;
      // The lead that stands in the way may be the lead that is meant, made since the holders were read.
      const isMeant = path === upsert.match || !areSame(holders, await readAgain());
      throw isMeant ? new ConflictError() : error;
    }
  });
};

/** The field that another lead has, where that is what was refused. */
const duplicatePath = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === 'duplicate_lead'
    ? error.details?.[0]?.path
    : undefined;

const areSame = (a: Holders, b: Holders): boolean =>
  a.ids.join() === b.ids.join() &&
  [...a.guards].every(([pk, item]) => item?.lead_id === b.guards.get(pk)?.lead_id);

const assertMatchable = ({ match, lead }: Upsert, pipeline: Pipeline | undefined): void => {
  if (!lead[match]) throw invalid(match, 'is required, since the lead is found by it');
  if (match === 'external_id') return;
  if (!pipeline)
    throw invalid('pipeline_id', `is required, since it says whose ${match} to look at`);
  if (!pipeline.unique_contact.includes(match)) {
    throw invalid('pipeline_id', `is a pipeline where leads are not unique by ${match}`);
  }
};

/**
 * The lead that is meant; undefined where there is none, also as it was deleted or changed since it was read.
 * Throws `duplicate_lead` where there are several.
 */
const matchOf = (
  { match, lead: patch }: Upsert,
  { leads }: Pick<Holders, 'leads'>,
): StoredLead | undefined => {
  const isMeant = ({ lead }: StoredLead): boolean => {
    const value = lead[match];
    const isThere = match === 'external_id' || lead.pipeline_id === patch.pipeline_id;
    return isThere && value !== null && normalize(match, value) === normalize(match, patch[match]!);
  };
  const [one, ...others] = leads.filter(isMeant);
  if (one && others.length > 0)
    throw duplicateError(
      match,
      [one, ...others].map(({ lead }) => lead.id),
    );
  return one;
};

const updateMatch = async (
  writer: TimedWriter,
  { lead: patch, move = false }: Upsert,
  before: StoredLead,
  { target, ...references }: PatchReferences,
  table: UpsertTable,
  commit: Commit<LeadAction>,
): Promise<Reply<UpsertResult>> => {
  const isElsewhere = target !== undefined && target.id !== before.lead.pipeline_id;
  const stays = isElsewhere && !move;
  const { lead, version, writes } = await patchWrites(
    writer,
    before,
    stays ? { ...patch, pipeline_id: undefined, stage: undefined } : patch,
    { target: stays ? undefined : target, ...references },
    table,
  );
  const headers = etag(version);
  return writes.length === 0
    ? { status: 200, headers, body: { outcome: 'unchanged', lead }, leadIds: [lead.id] }
    : commit(
        writes,
        { status: 200, headers, body: { outcome: 'updated', lead } },
        { retryConflicts: false },
      );
};

const createFromUpsert = async (
  writer: TimedWriter,
  { lead }: Upsert,
  pipeline: Pipeline | undefined,
  { fields, holders }: ReferenceItems & { holders: Holders },
  table: UpsertTable,
  commit: Commit<LeadAction>,
): Promise<Reply<UpsertResult>> => {
  const { writes, reply } = planLead(writer, lead, pipeline, fields);
  await assertUnique(table, writer.organizationId, writes, holders.guards);
  return commit(writes, reply);
};

/** A new lead of an upsert. */
const planLead = (
  writer: TimedWriter,
  { stage, ...patch }: LeadPatch,
  pipeline: Pipeline | undefined,
  definitions: StoredFields | undefined,
) => {
  if (!pipeline) throw invalid('pipeline_id', 'is required for a new lead');
  if (patch.contact_name === undefined) throw invalid('contact_name', 'is required for a new lead');
  const { fields, filterable } = updateCustomFields(noFields, patch.fields, definitions);
  const lead = newLead(z.parse(leadInput, { ...patch, fields }), pipeline, stage);
  return {
    writes: createLeadWrites(writer, lead, pipeline, filterable),
    reply: { headers: etag(1), body: { outcome: 'created' as const, lead } },
  };
};

/** The writes of an upsert, and its reply, as far as what was read can tell. Throws where the upsert is refused. */
export const foreseeUpsert = (
  writer: TimedWriter,
  upsert: Upsert,
  { pipeline, fields, holders }: ReferenceItems & { holders: Holders | undefined },
): { writes: LeadWrite[]; reply: Reply } => {
  const before = holders && matchOf(upsert, holders);
  if (!before) return planLead(writer, upsert.lead, pipeline && toPipeline(pipeline), fields);
  const { lead, writes } = foreseePatch(writer, before, upsert.lead, fields);
  return { writes, reply: { body: { outcome: 'updated', lead } } };
};
