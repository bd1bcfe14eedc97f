import * as z from 'zod/mini';
import { type FieldValues, mostFields } from '../fields/values.ts';
import { historyKey } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Write } from '../table/table.ts';
import { type Lead, leadFieldNames, leadFields, monotonicTime } from './lead.ts';

/** What can happen to a lead; also the names of the events that are sent. */
export const historyTypes = [
  'lead.created',
  'lead.updated',
  'lead.deleted',
  'lead.restored',
  'lead.merged',
  'lead.erased',
] as const;
type HistoryType = (typeof historyTypes)[number];

/** What happened to a lead once: never changed itself, and kept when the lead is deleted. */
export const historyEntry = z
  .strictObject({
    version: z.int().check(z.gte(1), z.describe('The lead’s version after this change.')),
    type: z.enum(historyTypes),
    at: z.iso.datetime(),
    user_id: z.guid().check(z.describe('Who made it.')),
    changes: z
      .array(z.strictObject({ field: z.string(), from: z.unknown(), to: z.unknown() }))
      .check(
        z.maxLength(leadFieldNames.length - 1 + mostFields),
        z.describe('A custom field is named `fields.<key>`.'),
      ),
    merged_from: z
      .optional(z.uuid())
      .check(z.describe('On `lead.merged`: the lead that was merged into this one.')),
    merged_into: z
      .optional(z.uuid())
      .check(z.describe('On `lead.deleted`: the lead into which this one was merged.')),
    erased: z
      .optional(z.literal(true))
      .check(z.describe('The lead was erased: what changed is not told any more.')),
  })
  .check(z.meta({ id: 'LeadHistoryEntry' }));
export type HistoryEntry = z.output<typeof historyEntry>;

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What differs between two states of a lead; a lead that is not there has nothing. */
export const diffLeads = (
  before: Lead | undefined,
  after: Lead | undefined,
): HistoryEntry['changes'] =>
  leadFieldNames.flatMap((field) => {
    if (field === 'fields') return diffFields(before?.fields ?? {}, after?.fields ?? {});
    const empty = leadFields[field].empty ?? null;
    const [from, to] = [before?.[field] ?? empty, after?.[field] ?? empty];
    return isEqual(from, to) ? [] : [{ field, from, to }];
  });

/** What differs in custom fields, each by itself. */
const diffFields = (before: FieldValues, after: FieldValues): HistoryEntry['changes'] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((key) => {
    const [from, to] = [before[key] ?? null, after[key] ?? null];
    return isEqual(from, to) ? [] : [{ field: `fields.${key}`, from, to }];
  });

export interface HistoryInput {
  type: HistoryType;
  version: number;
  userId: string;
  at: string;
  before: Lead | undefined;
  after: Lead | undefined;
  merged_from?: string | undefined;
  merged_into?: string | undefined;
}

/**
 * Writes the entry of a change, in its transaction. The entry is also what the event is made of,
 * from the table's stream: one for each change, and none for what did not happen.
 */
export const putHistory = (organizationId: string, input: HistoryInput): Write<'PutItem'> =>
  putEntry(organizationId, (input.after ?? input.before)?.id ?? '', {
    version: input.version,
    type: input.type,
    at: input.at,
    user_id: input.userId,
    changes: diffLeads(input.before, input.after),
    merged_from: input.merged_from,
    merged_into: input.merged_into,
  });

/** Writes that a lead was erased, without what it was: after what happened to it last. */
export const putErasure = (
  { organizationId, userId, now }: { organizationId: string; userId: string; now: number },
  leadId: string,
  last: Pick<HistoryEntry, 'version' | 'at'>,
): Write<'PutItem'> =>
  putEntry(organizationId, leadId, {
    type: 'lead.erased',
    version: last.version + 1,
    at: monotonicTime(last.at, now),
    user_id: userId,
    changes: [],
    erased: true,
  });

const putEntry = (
  organizationId: string,
  leadId: string,
  entry: HistoryEntry,
): Write<'PutItem'> => ({
  Put: {
    Item: { ...historyKey(organizationId, leadId, entry.version), ...entry },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  // The lead was restored or deleted by others, and is again as it was read.
  refused: () => new ConflictError(),
  namesRecord: true,
});

/** DynamoDB keeps no order of attributes: the API's is the schema's. */
export const toHistoryEntry = (item: Item): HistoryEntry => ({
  version: item.version as number,
  type: item.type as HistoryType,
  at: item.at as string,
  user_id: item.user_id as string,
  changes: (item.changes as HistoryEntry['changes']).map(({ field, from, to }) => ({
    field,
    from,
    to,
  })),
  ...optionalAttribute(item, 'merged_from'),
  ...optionalAttribute(item, 'merged_into'),
  ...optionalAttribute(item, 'erased'),
});

const optionalAttribute = (item: Item, name: 'merged_from' | 'merged_into' | 'erased'): object =>
  item[name] === undefined ? {} : { [name]: item[name] };
