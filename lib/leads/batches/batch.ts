import { ApiError } from '../../errors/errors.ts';
import { needsFieldDefinitions } from '../../fields/check.ts';
import { fieldsKind, type StoredFields } from '../../fields/definition.ts';
import type { MemberCall, Reply } from '../../operations/request.ts';
import { memberKind } from '../../organizations/members.ts';
import { pipelineKind, type StoredPipeline } from '../../pipelines/pipeline.ts';
import type { ItemOf } from '../../table/kind.ts';
import type { Table } from '../../table/table.ts';
import type { LeadPatch } from '../lead.ts';
import type { BatchPart, RefusedPart } from './batch-schema.ts';

/** Leads that are written at once: as many at most are written after their writer was removed. */
const leadsAtOnce = 10;

/** The parts of a lead that name something else. */
export type LeadReferences = Pick<Partial<LeadPatch>, 'pipeline_id' | 'owner_id' | 'fields'>;

/** The items that the leads of a batch refer to, by their ids. */
export interface References {
  pipelines: ReadonlyMap<string, StoredPipeline | undefined>;
  owners: ReadonlyMap<string, ItemOf<typeof memberKind> | undefined>;
  fields: StoredFields | undefined;
}

/** The pipelines, members and definitions of fields that the parts of a batch name, each once. */
export const readReferences = async (
  organizationId: string,
  parts: readonly LeadReferences[],
  table: Table<'GetItem'>,
): Promise<References> => {
  const pipelineIds = distinct(parts.map(({ pipeline_id }) => pipeline_id));
  const ownerIds = distinct(parts.map(({ owner_id }) => owner_id));
  const needsFields = parts.some(({ fields }) => needsFieldDefinitions(fields));
  const [pipelines, owners, fields] = await Promise.all([
    table.getAll(pipelineIds.map((pipelineId) => pipelineKind.key({ organizationId, pipelineId }))),
    table.getAll(ownerIds.map((userId) => memberKind.key({ organizationId, userId }))),
    needsFields ? table.get(fieldsKind.key({ organizationId })) : undefined,
  ]);
  return {
    pipelines: new Map(pipelineIds.map((id, i) => [id, pipelines[i]])),
    owners: new Map(ownerIds.map((id, i) => [id, owners[i]])),
    fields,
  };
};

const distinct = (ids: readonly (string | null | undefined)[]): string[] => [
  ...new Set(ids.flatMap((id) => id ?? [])),
];

/** The items that one lead names, out of all that were read. */
export const pickReferences = (
  { pipeline_id, owner_id }: LeadReferences,
  { pipelines, owners, fields }: References,
) => ({
  pipeline: pipelines.get(pipeline_id ?? ''),
  owner: owners.get(owner_id ?? ''),
  fields,
});

/** The inputs of the parts that are valid. */
export const validInputs = <T>(parts: readonly BatchPart<T>[]): T[] =>
  parts.flatMap((part) => ('input' in part ? [part.input] : []));

/** How the parts of a batch are done. */
interface PartRules<T, Done> {
  /** Names of things that only one part can have at a time. */
  competesFor(input: T): readonly string[];
  /** The units that the part is going to write. Throws for a part that will be refused. */
  expectedUnits(i: number, input: T): number;
  runPart(i: number, input: T): Promise<Done>;
}

/**
 * The outcome of each part of a batch, which is counted whole before the first: throws `rate_limited`. Several parts are done
 * at once; but of those that compete for something, the first in the request comes first. Whether the caller still may is
 * checked before each ten: if not, that is the outcome of all that follow. It is no condition of the transactions: those of
 * one user would then refuse one another.
 */
export const runParts = async <T, Done>(
  { assertAllowed, limit }: Pick<MemberCall, 'assertAllowed' | 'limit'>,
  parts: readonly BatchPart<T>[],
  { competesFor, expectedUnits, runPart }: PartRules<NoInfer<T>, Done>,
): Promise<Reply<{ items: (Done | RefusedPart)[] }>> => {
  const units = parts.map((part, i) =>
    'input' in part ? unitsOr0(() => expectedUnits(i, part.input)) : 0,
  );
  await limit.countWhole(units.reduce((sum, one) => sum + one, 0));
  const items: (Done | RefusedPart)[] = [];
  let refusal: RefusedPart | undefined;
  const settlePart = async (i: number) => {
    const part = parts[i]!;
    if ('invalid' in part) items[i] = toRefusal(part.invalid);
    else items[i] = refusal ?? (await settle(() => runPart(i, part.input)));
  };
  let sinceCheck = 0;
  for (const round of planRounds(claimsOf(parts, competesFor))) {
    for (let i = 0; i < round.length; i += leadsAtOnce) {
      const chunk = round.slice(i, i + leadsAtOnce);
      if (!refusal && sinceCheck + chunk.length > leadsAtOnce) {
        refusal = await settle(() => assertAllowed().then(() => undefined));
        sinceCheck = 0;
      }
      sinceCheck += chunk.length;
      await Promise.all(chunk.map(settlePart));
      await limit.pace();
    }
  }
  return { body: { items } };
};

/** The error is told once the part is done. */
const unitsOr0 = (expectedUnits: () => number): number => {
  try {
    return expectedUnits();
  } catch {
    return 0;
  }
};

const claimsOf = <T>(
  parts: readonly BatchPart<T>[],
  competesFor: (input: T) => readonly string[],
): (readonly string[])[] => parts.map((part) => ('input' in part ? competesFor(part.input) : []));

/** The places of the valid parts that compete with none before them: what they find can be read before the first is done. */
export const firstPlaces = <T>(
  parts: readonly BatchPart<T>[],
  competesFor: (input: T) => readonly string[],
): number[] =>
  (planRounds(claimsOf(parts, competesFor))[0] ?? []).filter((i) => 'input' in parts[i]!);

/**
 * The places of the parts in the request, by rounds. Parts that compete are in different rounds. So are two parts that
 * compete with the same part before them: the first may want what that part took, and the second may change that lead so
 * that it is free.
 */
const planRounds = (claims: readonly (readonly string[])[]): number[][] => {
  const all: number[][] = [];
  const groups = new Map<string, { next: number }>();
  claims.forEach((ofPart, i) => {
    const joined = new Set(ofPart.flatMap((claim) => groups.get(claim) ?? []));
    const round = Math.max(0, ...[...joined].map(({ next }) => next));
    all[round] = [...(all[round] ?? []), i];
    const group = { next: round + 1 };
    for (const [claim, joinedGroup] of groups)
      if (joined.has(joinedGroup)) groups.set(claim, group);
    for (const claim of ofPart) groups.set(claim, group);
  });
  return all;
};

const settle = async <Done>(work: () => Promise<Done>): Promise<Done | RefusedPart> => {
  try {
    return await work();
  } catch (error) {
    return toRefusal(error);
  }
};

const toRefusal = (error: unknown): RefusedPart => {
  if (!(error instanceof ApiError)) throw error;
  const { code, message, details, kind } = error;
  return {
    status: kind.status,
    error: { code, message, ...(details && { details: [...details] }) },
  };
};
