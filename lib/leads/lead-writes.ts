import type { WriteOrFact } from '../facts/transaction.ts';
import type { Commit } from '../operations/commit.ts';
import { updateCounters, updateCountersOfMerge } from '../pipelines/counters.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { type ActionOf, type Grant, grantsOn } from '../table/grants.ts';
import { uniqueAfter, uniqueContacts, updateLookups } from './contacts.ts';
import { erasureFact, type historyTypes, leadFact } from './history.ts';
import { type Lead, monotonicTime } from './lead.ts';
import { updateWords } from './search/word-items.ts';
import { replaceLead, type StoredLead } from './stored-lead.ts';

/** A lead's copies, and what it is found by. */
const copies = ['TAG#', 'FIELD#', 'CONTACT#', 'EXTERNAL#', 'WORDS#'] as const;
const beside = ['PutItem HISTORY#', 'UpdateItem COUNTERS#'] as const;

/** Grants to write a lead that is new or comes back. */
export const newLeadGrants = [
  ...grantsOn('PutItem', 'LEADS#', ...copies),
  ...beside,
] as const satisfies Grant[];

/** Grants to write a lead that is new or changes. */
export const leadGrants = [
  ...newLeadGrants,
  ...grantsOn('DeleteItem', ...copies),
] as const satisfies Grant[];

/** Grants to remove a lead. */
export const goneLeadGrants = [
  ...grantsOn('DeleteItem', 'LEADS#', ...copies),
  ...beside,
] as const satisfies Grant[];

export type LeadAction = ActionOf<(typeof leadGrants)[number]>;
export type LeadWrite = WriteOrFact<LeadAction>;
export type LeadCommit = Commit<LeadAction>;

/** The organization in which a lead is changed. */
interface Writer {
  organizationId: string;
}

/** Who changes a lead, where and when: milliseconds since the epoch. */
export type TimedWriter = Writer & { userId: string; now: number };

/** Everything that a new lead is: itself, its copies, contacts, words, count and history. */
export const createLeadWrites = (
  writer: Writer,
  lead: Lead,
  pipeline: Pipeline,
  filterable: readonly string[] = [],
): WriteOrFact<'PutItem' | 'UpdateItem'>[] =>
  // A new lead replaces nothing, so nothing of this deletes.
  writes(
    writer,
    undefined,
    { lead, version: 1, unique: uniqueContacts(pipeline, lead), filterable },
    lead.created_at,
  ) as WriteOrFact<'PutItem' | 'UpdateItem'>[];

/** Everything that a lead is which comes back after it was deleted, with the version after that. */
export const restoreLeadWrites = (
  writer: Writer,
  after: StoredLead,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] =>
  // A lead that comes back replaces nothing, so nothing of this deletes.
  writes(writer, undefined, after, after.lead.updated_at) as WriteOrFact<
    'PutItem' | 'UpdateItem'
  >[];

/** A lead's next version, and what has to be written for it. */
export const updateLeadWrites = (
  writer: Writer,
  before: StoredLead,
  lead: Lead,
  pipeline: Pipeline | undefined,
  filterable: readonly string[] = before.filterable,
): { after: StoredLead; writes: LeadWrite[] } => {
  const version = before.version + 1;
  const unique = uniqueAfter(before, lead, pipeline);
  const after = { ...before, lead, version, unique, filterable };
  return { after, writes: writes(writer, before, after, lead.updated_at) };
};

export const deleteLeadWrites = (writer: Writer, before: StoredLead, now: number): LeadWrite[] =>
  writes(writer, before, undefined, monotonicTime(before.lead.updated_at, now));

/** Removes a lead as `deleteLeadWrites` does; its history says that it was erased, and not what it was. */
export const eraseLeadWrites = (
  call: TimedWriter,
  { lead, version, ...before }: StoredLead,
): LeadWrite[] => [
  ...stateWrites(call.organizationId, { lead, version, ...before }, undefined),
  erasureFact(call, lead.id, { version, at: lead.updated_at }),
];

/**
 * Makes one lead of two: `after` replaces `before`, and `other` is removed. A contact that goes from one lead to the
 * other takes one put. `pipeline` is the survivor's, where it gets a contact.
 */
export const mergeLeadWrites = (
  { organizationId }: Writer,
  before: StoredLead,
  other: StoredLead,
  { lead, filterable }: Pick<StoredLead, 'lead' | 'filterable'>,
  pipeline: Pipeline | undefined,
): { after: StoredLead; writes: LeadWrite[] } => {
  const unique = uniqueAfter(before, lead, pipeline, other);
  const after = { ...before, lead, filterable, unique, version: before.version + 1 };
  const at = lead.updated_at;
  return {
    after,
    writes: [
      ...replaceLead(organizationId, before, after),
      ...replaceLead(organizationId, other, undefined),
      ...updateLookups(organizationId, before, after, other),
      ...updateWords(organizationId, before, after),
      ...updateWords(organizationId, other, undefined),
      ...updateCountersOfMerge(organizationId, before.lead, lead, other.lead),
      leadFact(organizationId, {
        type: 'lead.merged',
        version: after.version,
        at,
        before: before.lead,
        after: lead,
        merged_from: other.lead.id,
      }),
      leadFact(organizationId, {
        type: 'lead.deleted',
        version: other.version + 1,
        at,
        before: other.lead,
        after: undefined,
        merged_into: lead.id,
      }),
    ],
  };
};

const stateWrites = (
  organizationId: string,
  before: StoredLead | undefined,
  after: StoredLead | undefined,
): LeadWrite[] => [
  ...replaceLead(organizationId, before, after),
  ...updateLookups(organizationId, before, after),
  ...updateWords(organizationId, before, after),
  ...updateCounters(organizationId, before?.lead, after?.lead),
];

const writes = (
  { organizationId }: Writer,
  before: StoredLead | undefined,
  after: StoredLead | undefined,
  at: string,
): LeadWrite[] => [
  ...stateWrites(organizationId, before, after),
  leadFact(organizationId, {
    type: typeOf(before, after),
    version: after?.version ?? (before?.version ?? 0) + 1,
    at,
    before: before?.lead,
    after: after?.lead,
  }),
];

const typeOf = (
  before: StoredLead | undefined,
  after: StoredLead | undefined,
): (typeof historyTypes)[number] => {
  if (!after) return 'lead.deleted';
  if (before) return 'lead.updated';
  return after.version === 1 ? 'lead.created' : 'lead.restored';
};
