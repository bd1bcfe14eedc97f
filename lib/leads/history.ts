import * as z from 'zod/mini';
import { historyKey } from '../table/keys.ts';
import type { Item, Write } from '../table/table.ts';
import { type Lead, leadFieldNames, leadFields } from './lead.ts';

/** What can happen to a lead; also the names of the events that are sent. */
export const historyTypes = ['lead.created', 'lead.updated', 'lead.deleted'] as const;
type ChangeType = (typeof historyTypes)[number];

/** One change of a lead: never changed itself, and kept when the lead is deleted. */
export const historyEntry = z
  .strictObject({
    version: z.int().check(z.gte(1), z.describe('The lead’s version after this change.')),
    type: z.enum(historyTypes),
    at: z.iso.datetime(),
    user_id: z.uuid().check(z.describe('Who made it.')),
    changes: z
      .array(z.strictObject({ field: z.string(), from: z.unknown(), to: z.unknown() }))
      .check(z.maxLength(leadFieldNames.length)),
  })
  .check(z.meta({ id: 'LeadHistoryEntry' }));
export type HistoryEntry = z.output<typeof historyEntry>;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What differs between two states of a lead; a lead that is not there has nothing. */
export const changesBetween = (
  before: Lead | undefined,
  after: Lead | undefined,
): HistoryEntry['changes'] =>
  leadFieldNames.flatMap((field) => {
    const empty = leadFields[field].empty ?? null;
    const [from, to] = [before?.[field] ?? empty, after?.[field] ?? empty];
    return same(from, to) ? [] : [{ field, from, to }];
  });

export interface Change {
  type: ChangeType;
  version: number;
  userId: string;
  at: string;
  before: Lead | undefined;
  after: Lead | undefined;
}

/**
 * Writes the entry of a change, in its transaction. The entry is also what the event is made of,
 * from the table's stream: one for each change, and none for what did not happen.
 */
export const putHistory = (organizationId: string, change: Change): Write<'PutItem'> => {
  const leadId = (change.after ?? change.before)?.id ?? '';
  return {
    Put: {
      Item: {
        ...historyKey(organizationId, leadId, change.version),
        version: change.version,
        type: change.type,
        at: change.at,
        user_id: change.userId,
        changes: changesBetween(change.before, change.after),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
};

/** DynamoDB keeps no order of attributes: the API's is the schema's. */
export const toHistoryEntry = (item: Item): HistoryEntry => ({
  version: item.version as number,
  type: item.type as ChangeType,
  at: item.at as string,
  user_id: item.user_id as string,
  changes: (item.changes as HistoryEntry['changes']).map(({ field, from, to }) => ({
    field,
    from,
    to,
  })),
});
