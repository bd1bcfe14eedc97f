import * as z from 'zod/mini';
import { type Fact, FactKind } from '../facts/fact.ts';
import { storedOrigin, toldOrigin, toToldOrigin } from '../facts/origin.ts';
import { type FieldValues, mostFields } from '../fields/values.ts';
import { storedForm } from '../schema/stored-form.ts';
import { numberAttributes, places } from '../table/keys.ts';
import type { AttributesOf, ItemOf } from '../table/kind.ts';
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
    ...toldOrigin,
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
    stage_entered_at: z
      .optional(z.iso.datetime())
      .check(
        z.describe(
          'On `lead.deleted` and `lead.restored`: since when the lead was in its stage. Else a lead enters its stage `at` the last change of stage or pipeline.',
        ),
      ),
    erased: z
      .optional(z.literal(true))
      .check(
        z.describe(
          'The lead was erased: of what changed, only pipeline, stage and owner are told any more.',
        ),
      ),
  })
  .check(z.meta({ id: 'LeadHistoryEntry' }));
export type HistoryEntry = z.output<typeof historyEntry>;

const told = z.object({
  ...historyEntry.shape,
  changes: storedForm(historyEntry.shape.changes),
});

export const historyEntryKind = new FactKind(places.historyEntry, {
  holds: 'what happened to a lead',
  thing: places.lead,
  namesRecord: true,
  attributes: z.object({
    ...told.shape,
    ...storedOrigin,
    /** The idempotency record of the request, which has the same content. */
    record: z.optional(z.string()),
    ...numberAttributes,
    /** Only in the entry of a merge: nothing is left of the lead that was merged. */
    merged_erased: z.optional(z.literal(true)),
  }),
});

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The differences between two states of a lead; a lead that is not there has no values. */
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

/** The differences in custom fields, each by itself. */
const diffFields = (before: FieldValues, after: FieldValues): HistoryEntry['changes'] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((key) => {
    const [from, to] = [before[key] ?? null, after[key] ?? null];
    return isEqual(from, to) ? [] : [{ field: `fields.${key}`, from, to }];
  });

export interface HistoryInput {
  type: HistoryType;
  version: number;
  at: string;
  before: Lead | undefined;
  after: Lead | undefined;
  merged_from?: string | undefined;
  merged_into?: string | undefined;
}

/** A fact of a lead, for the transaction of the change. */
export const leadFact = (organizationId: string, input: HistoryInput): Fact =>
  factOf(organizationId, (input.after ?? input.before)?.id ?? '', {
    version: input.version,
    type: input.type,
    at: input.at,
    changes: diffLeads(input.before, input.after),
    merged_from: input.merged_from,
    merged_into: input.merged_into,
    stage_entered_at: comesOrGoes.has(input.type)
      ? (input.after ?? input.before)?.stage_entered_at
      : undefined,
  });

/** Changes by which a lead that has been in its stage for a while goes or comes back. */
const comesOrGoes: ReadonlySet<HistoryType> = new Set(['lead.deleted', 'lead.restored']);

/** The fact that a lead was erased, without its content. It follows the last fact of the lead. */
export const erasureFact = (
  { organizationId, now }: { organizationId: string; now: number },
  leadId: string,
  last: Pick<HistoryEntry, 'version' | 'at'>,
): Fact =>
  factOf(organizationId, leadId, {
    type: 'lead.erased',
    version: last.version + 1,
    at: monotonicTime(last.at, now),
    changes: [],
    erased: true,
  });

// Where the number of the fact is taken, others restored or deleted the lead, and it is again as it was read.
const factOf = (
  organizationId: string,
  leadId: string,
  entry: AttributesOf<typeof historyEntryKind>,
): Fact => historyEntryKind.fact({ organizationId, leadId }, entry);

/** Fields whose changes are told after the erasure, too: so reports that are counted again stay as they were. */
const keptFields: ReadonlySet<string> = new Set(['pipeline_id', 'stage', 'owner_id']);

/** The changes that stay once their lead is erased. */
export const changesOfErased = (changes: HistoryEntry['changes']): HistoryEntry['changes'] =>
  changes.filter(({ field }) => keptFields.has(field));

/** An entry as it is answered. */
export const toHistoryEntry = (item: ItemOf<typeof historyEntryKind>): HistoryEntry =>
  told.parse({ ...item, ...toToldOrigin(item) });
