import { ApiError, type ErrorDetail } from '../../errors/errors.ts';
import { needsFieldDefinitions } from '../../fields/check.ts';
import type { MemberCall, Reply } from '../../operations/request.ts';
import { fieldsKey, type Key, memberKey, pipelineKey } from '../../table/keys.ts';
import type { Item, Table } from '../../table/table.ts';
import type { LeadPatch } from '../lead.ts';
import type { BatchPart, RefusedPart } from './batch-schema.ts';

/** Leads that are written at once: as many at most are written after their writer was removed. */
const leadsAtOnce = 10;

/** What the leads refer to, by partition and sort key. */
export type ItemsByKey = ReadonlyMap<string, Item>;

const id = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`;

/** What of a lead names something else. */
export type LeadReferences = Pick<Partial<LeadPatch>, 'pipeline_id' | 'owner_id' | 'fields'>;

const referenceKeys = (
  organizationId: string,
  { pipeline_id, owner_id, fields }: LeadReferences,
) => ({
  pipeline: pipeline_id && pipelineKey(organizationId, pipeline_id),
  owner: owner_id && memberKey(organizationId, owner_id),
  fields: needsFieldDefinitions(fields) && fieldsKey(organizationId),
});

/** The pipelines, members and definitions of fields that the parts of a batch name, each once. */
export const readReferences = async (
  organizationId: string,
  parts: readonly LeadReferences[],
  table: Table<'GetItem'>,
): Promise<ItemsByKey> => {
  const keys = parts.flatMap((part) => {
    const { pipeline, owner, fields } = referenceKeys(organizationId, part);
    return [pipeline, owner, fields].filter((key): key is Key => Boolean(key));
  });
  const distinct = new Map(keys.map((key) => [id(key), key]));
  const items = await table.getAll([...distinct.values()]);
  return new Map(items.flatMap((item) => (item ? [[id(item as never), item]] : [])));
};

/** What one of them names, of what was read. */
export const pickReferences = (organizationId: string, part: LeadReferences, items: ItemsByKey) => {
  const { pipeline, owner, fields } = referenceKeys(organizationId, part);
  return {
    pipeline: pipeline ? items.get(id(pipeline)) : undefined,
    owner: owner ? items.get(id(owner)) : undefined,
    fields: fields ? items.get(id(fields)) : undefined,
  };
};

/** What is asked for in the parts that are valid. */
export const validInputs = <T>(parts: readonly BatchPart<T>[]): T[] =>
  parts.flatMap((part) => ('input' in part ? [part.input] : []));

/**
 * The outcome of each part of a batch. Several are done at once; but of those that compete for something, the
 * first in the request comes first. Whether the caller still may is checked before each ten: if not, that is
 * the outcome of all that follow. It is no condition of the transactions: those of one user would then refuse one another.
 */
export const runParts = async <T, Done>(
  { assertAllowed }: Pick<MemberCall, 'assertAllowed'>,
  parts: readonly BatchPart<T>[],
  competesFor: (input: T) => readonly string[],
  runPart: (i: number, input: T) => Promise<Done>,
): Promise<Reply<{ items: (Done | RefusedPart)[] }>> => {
  const items: (Done | RefusedPart)[] = [];
  let refusal: RefusedPart | undefined;
  const settlePart = async (i: number) => {
    const part = parts[i]!;
    if ('invalid' in part) items[i] = toRefusal(part.invalid);
    else items[i] = refusal ?? (await settle(() => runPart(i, part.input)));
  };
  const claims = parts.map((part) => ('input' in part ? competesFor(part.input) : []));
  let sinceCheck = 0;
  for (const round of planRounds(claims)) {
    for (let i = 0; i < round.length; i += leadsAtOnce) {
      const chunk = round.slice(i, i + leadsAtOnce);
      if (!refusal && sinceCheck + chunk.length > leadsAtOnce) {
        refusal = await settle(() => assertAllowed().then(() => undefined));
        sinceCheck = 0;
      }
      sinceCheck += chunk.length;
      await Promise.all(chunk.map(settlePart));
    }
  }
  return { body: { items } };
};

/**
 * The places of the parts in the request: of those that compete, each is in a later round. So are two that compete with
 * the same part before them: the one may want what that part took, and the other may change that lead so that it is free.
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
    error: { code, message, ...(details && { details: details as ErrorDetail[] }) },
  };
};
