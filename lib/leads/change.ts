import { count } from '../pipelines/counters.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { changeWords } from '../search/word-items.ts';
import type { Grant } from '../table/grants.ts';
import type { Write } from '../table/table.ts';
import { changeContacts, uniqueContacts } from './contacts.ts';
import { changesBetween, putHistory } from './history.ts';
import { type Lead, notBefore } from './lead.ts';
import { replaceLead, type StoredLead } from './records.ts';

/** What a change of a lead does with the table. */
export const changeGrants = ['PutItem', 'DeleteItem', 'UpdateItem'] as const satisfies Grant[];
export type ChangeWrite = Write<(typeof changeGrants)[number]>;

interface Actor {
  organizationId: string;
  userId: string;
}

/** Everything that a new lead is: itself, its copies, contacts, words, count and history. */
export const createWrites = (
  actor: Actor,
  lead: Lead,
  pipeline: Pipeline,
  searchable: boolean,
): Write<'PutItem' | 'UpdateItem'>[] =>
  // A new lead replaces nothing, so nothing of this deletes.
  writes(
    actor,
    undefined,
    { lead, version: 1, unique: uniqueContacts(pipeline, lead), searchable },
    lead.created_at,
  ) as Write<'PutItem' | 'UpdateItem'>[];

/** A lead's next version, and what has to be written for it. */
export const changeWrites = (
  actor: Actor,
  before: StoredLead,
  lead: Lead,
  pipeline: Pipeline | undefined,
): { after: StoredLead; writes: ChangeWrite[] } => {
  const contactsStay = changesBetween(before.lead, lead).every(
    ({ field }) => !['email', 'phone', 'pipeline_id'].includes(field),
  );
  const version = before.version + 1;
  const unique = contactsStay || !pipeline ? before.unique : uniqueContacts(pipeline, lead);
  const after = { ...before, lead, version, unique };
  return { after, writes: writes(actor, before, after, lead.updated_at) };
};

export const deleteWrites = (actor: Actor, before: StoredLead, now: number): ChangeWrite[] =>
  writes(actor, before, undefined, notBefore(before.lead.updated_at, now));

const writes = (
  { organizationId, userId }: Actor,
  before: StoredLead | undefined,
  after: StoredLead | undefined,
  at: string,
): ChangeWrite[] => [
  ...replaceLead(organizationId, before, after),
  ...changeContacts(organizationId, before, after),
  ...changeWords(organizationId, before, after),
  ...count(organizationId, before?.lead, after?.lead),
  putHistory(organizationId, {
    type: !before ? 'lead.created' : after ? 'lead.updated' : 'lead.deleted',
    version: after?.version ?? (before?.version ?? 0) + 1,
    userId,
    at,
    before: before?.lead,
    after: after?.lead,
  }),
];
