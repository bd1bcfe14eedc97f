import assert from 'node:assert/strict';
import { filterText } from '../../lib/fields/values.ts';
import { normalize } from '../../lib/leads/contacts.ts';
import { historyEntryKind } from '../../lib/leads/history.ts';
import type { Lead } from '../../lib/leads/lead.ts';
import { wordsOf } from '../../lib/leads/search/words.ts';
import { fieldValueIds, leadKind, toStoredLead } from '../../lib/leads/stored-lead.ts';
import { type Counter, counterKind, sumByStage } from '../../lib/pipelines/counters.ts';
import {
  contactFields,
  type Pipeline,
  pipelineKind,
  toPipeline,
} from '../../lib/pipelines/pipeline.ts';
import { type Key, outbox, places } from '../../lib/table/keys.ts';
import type { ItemOf } from '../../lib/table/kind.ts';
import type { Item } from '../../lib/table/table.ts';

type Entry = ItemOf<typeof historyEntryKind>;

/** Throws unless all that is in the table of the leads of an organization fits together. */
export const auditSales = (id: string, all: readonly Item[]): void => {
  const items = all.map((item) => item as Item & Key);
  const startingWith = (prefix: string) => items.filter(({ pk }) => pk.startsWith(prefix));
  const leads = startingWith('LEADS#').map((item) => toStoredLead(leadKind.parse(item)));
  const pipelines = startingWith('PIPELINES#').map((item) => toPipeline(pipelineKind.parse(item)));

  for (const prefix of ['WORDS#', 'TAG#', 'FIELD#', 'CONTACT#', 'EXTERNAL#']) {
    const found = startingWith(prefix).map((item) => `${text(item)} of ${holderOf(item)}`);
    const expected = leads
      .flatMap(({ lead }) => keysOf(id, lead, pipelines).map((key) => `${text(key)} of ${lead.id}`))
      .filter((key) => key.startsWith(prefix));
    assert.deepEqual(found.sort(), expected.sort(), `${prefix} leads to the leads that have it`);
  }
  for (const pipeline of pipelines) {
    const own = leads.map(({ lead }) => lead).filter((one) => one.pipeline_id === pipeline.id);
    const counters = startingWith(
      counterKind.partition({ organizationId: id, pipelineId: pipeline.id }),
    );
    auditPipeline(
      pipeline,
      own,
      counters.map((item) => counterKind.parse(item)),
    );
  }
  const history = startingWith(outbox.leads).map((item) => historyEntryKind.parse(item));
  history.sort((a, b) => a.version - b.version);
  const entriesOf = Map.groupBy(history, ({ pk }) => pk.split('#')[2]!);
  for (const [leadId, entries] of entriesOf) {
    const present = leads.find(({ lead }) => lead.id === leadId);
    auditHistory(entries, present);
  }
  for (const { lead } of leads) assert(entriesOf.has(lead.id), 'each lead has a history');
};

const text = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** Which lead an item leads to: it says so, or it is the last part of its sort key. */
const holderOf = (item: Item & Key): string =>
  (item.lead_id as string | undefined) ?? item.sk.split(' ').at(-1)!;

/** The keys by which a lead has to be found. */
const keysOf = (id: string, lead: Lead, pipelines: readonly Pipeline[]): Key[] => {
  const { unique_contact } = pipelines.find((one) => one.id === lead.pipeline_id)!;
  const [organizationId, leadId] = [id, lead.id];
  const contacts = contactFields.flatMap((field) => {
    const value = lead[field];
    if (value === null) return [];
    const ids = { organizationId, pipelineId: lead.pipeline_id, field };
    const contact = { ...ids, value: normalize(field, value) };
    return unique_contact.includes(field)
      ? [places.contactGuard.key(contact)]
      : [places.contactLookup.key({ ...contact, leadId })];
  });
  return [
    ...wordsOf(lead).map((word) =>
      places.word.key({ organizationId, initial: [...word][0]!, word, leadId }),
    ),
    ...lead.tags.map((tag) => places.leadOfTag.key({ organizationId, tag, leadId })),
    ...Object.entries(lead.fields).map(([key, value]) =>
      places.leadOfFieldValue.key({
        ...fieldValueIds(organizationId, key, filterText(value)),
        leadId,
      }),
    ),
    ...contacts,
    ...(lead.external_id === null
      ? []
      : [places.externalId.key({ organizationId, externalId: lead.external_id })]),
  ];
};

const auditPipeline = (pipeline: Pipeline, own: readonly Lead[], counters: readonly Counter[]) => {
  const names = pipeline.stages.map(({ name }) => name);
  for (const { stage } of own) assert(names.includes(stage), 'a lead is in a stage that there is');
  assert(names.includes(pipeline.default_stage), 'the default stage is there');
  const counted = sumByStage(counters);
  for (const stage of new Set([...names, ...counted.keys()])) {
    const inIt = own.filter((lead) => lead.stage === stage);
    const value = inIt.reduce((sum, { value_cents }) => sum + BigInt(value_cents ?? 0), 0n);
    const { leads: number, value_cents } = counted.get(stage) ?? { leads: 0, value_cents: 0n };
    assert.deepEqual([number, value_cents], [inIt.length, value], `what is counted in ${stage}`);
  }
};

type Stored = ReturnType<typeof toStoredLead>;

/** The history of a lead has each of its versions, and makes the lead as it is. */
const auditHistory = (entries: readonly Entry[], present: Stored | undefined): void => {
  for (const [i, { version }] of entries.entries()) assert.equal(version, i + 1, 'each version');
  const times = entries.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted(), 'the history does not go back');
  const { type, version, at } = entries.at(-1)!;
  assert.equal(['lead.deleted', 'lead.erased'].includes(type), !present, 'it is there, or gone');
  if (!present) return;
  assert.deepEqual([present.version, present.lead.updated_at], [version, at], 'it is the last one');
  const made: Record<string, unknown> = {};
  for (const { field, from, to } of entries.flatMap(({ changes }) => changes)) {
    assert.deepEqual(made[field] ?? (field === 'tags' ? [] : null), from, `${field} was as told`);
    made[field] = to;
  }
  const fields = Object.entries(present.lead.fields);
  const custom = Object.fromEntries(fields.map(([key, value]) => [`fields.${key}`, value]));
  const flat = { ...present.lead, ...custom };
  for (const [field, value] of Object.entries(made)) {
    assert.deepEqual(flat[field as keyof Lead] ?? null, value ?? null, `${field} is as told`);
  }
};

/** Throws where a lead that was erased, or one that was merged into it, is told of: its `personal` text is anywhere. */
export const auditErased = (
  erased: ReadonlySet<string>,
  personal: string,
  items: readonly Item[],
): void => {
  const gone = new Set(erased);
  // A set also gives what is added meanwhile.
  for (const id of gone) {
    for (const { pk, merged_from } of items) {
      const isOfIt = String(pk).startsWith(outbox.leads) && String(pk).endsWith(`#${id}`);
      if (isOfIt && merged_from) gone.add(String(merged_from));
    }
  }
  for (const item of items) {
    const written = JSON.stringify(item);
    const tells = written.includes(personal) && [...gone].some((id) => written.includes(id));
    assert(!tells, `tells of a lead that was erased: ${written}`);
    const [kind, , leadId = ''] = String(item.pk).split('#');
    assert(kind !== 'NOTES' || !gone.has(leadId), 'a note of an erased lead is left');
  }
};
