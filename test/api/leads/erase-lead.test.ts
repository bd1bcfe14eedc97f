import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import type { Change } from '../../../lib/changes/change.ts';
import { places } from '../../../lib/table/keys.ts';
import { headersOf } from '../../../tools/examples/gateway-event.ts';
import { loadExamples } from '../../../tools/examples/load.ts';
import { pathOf } from '../../../tools/examples/request.ts';
import { type Answer, call } from '../../support/api.ts';
import { eventsUntil } from '../../support/events-out.ts';
import { eventually } from '../../support/eventually.ts';
import { feedUntil, readFeed } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { logLines, Planted } from '../../support/planted.ts';
import { senderOf, setting } from '../../support/samples.ts';
import { table } from '../../support/table.ts';
import { writtenOf } from '../../support/written.ts';

const { tableName: TableName } = inject('service');

const eraseOnce = (organization: Organization, id: string) =>
  organization.post(`/leads/${id}/erase`, undefined);

/** Until nothing is left. */
const erase = async (organization: Organization, id: string): Promise<number[]> => {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 204) {
    const { status, text } = await eraseOnce(organization, id);
    expect([202, 204], text).toContain(status);
    statuses.push(status);
  }
  return statuses;
};

/** A person in one organization: what is sent under keys, so that it can be sent again. */
class Person {
  readonly planted = new Planted();
  readonly #organization: Organization;
  readonly sent: { send: () => Promise<Answer>; first: Answer }[] = [];

  constructor(organization: Organization) {
    this.#organization = organization;
  }

  /** A lead with something of the person in every field. */
  lead = (fields: object = {}) => ({
    contact_name: `${this.planted.word()} Silva`,
    company_name: this.planted.word(),
    email: this.planted.email(),
    phone: `+55${this.planted.digits(11)}`,
    external_id: this.planted.word(),
    pipeline_id: this.#organization.pipelineId,
    tags: [this.planted.word(), this.planted.word()],
    value_cents: Number(this.planted.digits(12)),
    fields: this.fields(),
    ...fields,
  });

  fields = () => ({
    text: this.planted.word(),
    number: Number(this.planted.digits(12)),
    url: `https://example.com/${this.planted.word()}`,
    date: this.planted.date(),
  });

  async ask(method: 'post' | 'patch' | 'delete', path: string, body?: unknown): Promise<Answer> {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () =>
      method === 'delete'
        ? this.#organization.delete(path, { headers })
        : this.#organization[method](path, body, { headers });
    const first = await send();
    this.sent.push({ send, first });
    return first;
  }
}

const provisionWithFields = async (): Promise<Organization> => {
  const organization = await provision();
  for (const type of ['text', 'number', 'url', 'date']) {
    const field = { key: type, label: type, type, filterable: type !== 'url' };
    await organization.post('/fields', field);
  }
  return organization;
};

/** Everything that the service can be asked about a person, in every way. */
const liveLongAndFull = async (person: Person): Promise<{ id: string; merged: string[] }> => {
  const { planted } = person;
  const { id } = (await person.ask('post', '/leads', person.lead())).body;
  const path = `/leads/${id}`;
  await person.ask('patch', path, person.lead());
  const same = { company_name: planted.word() };
  await person.ask('patch', path, same);
  await person.ask('patch', path, same);
  await person.ask('patch', '/leads/batch', {
    leads: [{ id, patch: { fields: person.fields() } }],
  });
  await person.ask('patch', '/leads/batch', { leads: [{ id, patch: same }] });
  const lead = person.lead();
  const upsert = { match: 'external_id', lead };
  await person.ask('patch', path, { external_id: lead.external_id });
  await person.ask('post', '/leads/upsert', upsert);
  await person.ask('post', '/leads/upsert', upsert);
  await person.ask('post', '/leads/batch', { match: 'external_id', leads: [lead] });
  // Refused, and recorded as such.
  await person.ask('post', '/leads', { ...person.lead(), email: lead.email });
  const notes: string[] = [];
  for (let i = 0; i < 3; i++) {
    const text = `${planted.word()} says so.`;
    notes.push((await person.ask('post', `${path}/notes`, { text })).body.id);
  }
  const text = planted.word();
  await person.ask('patch', `${path}/notes/${notes[0]}`, { text });
  await person.ask('patch', `${path}/notes/${notes[0]}`, { text });
  await person.ask('delete', `${path}/notes/${notes[1]}`);
  await person.ask('delete', path);
  await person.ask('post', `${path}/restore`);
  await person.ask('post', `${path}/restore`);

  // Two leads that become part of it, one by way of the other.
  const batch = await person.ask('post', '/leads/batch', {
    leads: [person.lead({ tags: [] }), person.lead({ tags: [] })],
  });
  const [one, other] = batch.body.items.map((item: Answer['body']) => item.lead.id);
  await person.ask('post', `/leads/${other}/notes`, { text: planted.word() });
  await person.ask('post', `/leads/${one}/merge`, { from: other });
  const tags = Array.from({ length: 19 }, () => planted.word());
  await person.ask('patch', `/leads/${one}`, { tags });
  await person.ask('post', `${path}/merge`, { from: one });
  await person.ask('patch', `/leads/${one}`, { tags: [] });
  await person.ask('post', `${path}/merge`, { from: one });
  await person.ask('post', `${path}/merge`, { from: one });
  return { id, merged: [one, other] };
};

const isOf = (lead: string) => (change: Change) => 'lead_id' in change && change.lead_id === lead;

test('once a lead is erased, no item, no answer and no line of the log has anything of the person', async () => {
  const organization = await provisionWithFields();
  const [person, stays] = [new Person(organization), new Person(organization)];
  const { id, merged } = await liveLongAndFull(person);
  const other = (await stays.ask('post', '/leads', stays.lead())).body;
  const { planted } = person;
  const before = await eventually(
    () => readFeed(organization),
    (feed) => planted.in(JSON.stringify(feed)).length > 40 && feed.some(isOf(other.id)),
  );

  // What is planted is found in every place, so that it is seen to be gone from there.
  const holders = async (of: Planted) =>
    (await writtenOf(organization.id)).filter((item) => of.in(JSON.stringify(item)).length > 0);
  const kinds = new Set((await holders(planted)).map(({ pk }) => String(pk).split('#')[0]));
  const places =
    'CONTACT EXTERNAL FIELD HISTORY IDEMPOTENCY LEADS NOTES NOTE_HISTORY TAG WORDS'.split(' ');
  expect([...kinds]).toEqual(expect.arrayContaining(places));
  expect(person.sent.map(({ first }) => first.status).sort()).toEqual(
    expect.arrayContaining([200, 201, 204, 400, 409]),
  );

  expect(await erase(organization, id)).toEqual([202, 204]);
  expect((await holders(planted)).map(({ pk, sk }) => [pk, sk])).toEqual([]);
  expect(planted.in(logLines())).toEqual([]);
  expect(logLines()).toContain(organization.id);
  for (const { send, first } of person.sent) {
    const { status, text } = await send();
    expect([planted.in(text), first.text]).toEqual([[], first.text]);
    if (first.text.includes('contact_name') && !first.text.includes('items')) {
      expect([status, first.text]).toEqual([404, first.text]);
    }
  }
  for (const lead of [id, ...merged]) {
    for (const path of [`/leads/${lead}`, `/leads/${lead}/history`, `/leads/${lead}/notes`]) {
      expect(planted.in((await organization.get(path)).text)).toEqual([]);
    }
    const restored = await organization.post(`/leads/${lead}/restore`, undefined);
    expect([restored.status, restored.body.error.details]).toEqual([404, undefined]);
  }

  // Receivers are told; every change keeps its place.
  const isErased = (lead: string) => (change: Change) =>
    change.type === 'lead.erased' && isOf(lead)(change);
  for (const lead of [id, ...merged]) await feedUntil(organization, isErased(lead));
  const after = await readFeed(organization);
  expect(after.map(({ sequence }) => sequence)).toEqual(after.map((_, i) => i + 1));
  expect(after.slice(0, before.length).map(({ event_id }) => event_id)).toEqual(
    before.map(({ event_id }) => event_id),
  );
  expect(planted.in(JSON.stringify(after))).toEqual([]);
  expect(after.filter(({ type }) => type === 'lead.erased').length).toBe(3);
  const sent = await eventsUntil(organization.id, ({ detail }) => detail.sequence === after.length);
  const told = sent.filter(({ detail }) => detail.sequence <= after.length);
  expect(told.length).toBe(after.length);

  // Nobody else’s is touched.
  expect((await organization.get(`/leads/${other.id}`)).body).toEqual(other);
  const [{ send, first }] = stays.sent as [(typeof stays.sent)[0]];
  expect((await send()).text).toBe(first.text);
  expect(await writtenOf(organization.id)).toEqual(
    expect.arrayContaining([expect.objectContaining({ contact_name: other.contact_name })]),
  );
});

test('a lead that is not there is not erased, a deleted one is, and so is what is left of an erased one', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ email: 'ana@example.com' });
  const path = `/leads/${id}`;
  expect((await eraseOnce(organization, randomUUID())).status).toBe(404);
  await organization.delete(path);
  expect(await erase(organization, id)).toEqual([202, 204]);
  const [last, ...others] = await organization.readAll(`${path}/history`);
  expect([last.type, last.version, others.length]).toEqual(['lead.erased', 3, 2]);
  for (const { erased } of [last, ...others]) expect(erased).toBe(true);
  // Where it was, and whose, is told for ever.
  const [to, from] = [null, organization.pipelineId];
  expect([last, ...others].map(({ changes }) => changes)).toEqual([
    [],
    [
      { field: 'pipeline_id', from, to },
      { field: 'stage', from: 'new', to },
    ],
    [
      { field: 'pipeline_id', from: to, to: from },
      { field: 'stage', from: to, to: 'new' },
    ],
  ]);
  expect((await organization.post(`${path}/notes`, { text: 'Late.' })).status).toBe(404);
  expect(await erase(organization, id)).toEqual([204]);
  // As a request leaves behind whose time was over.
  const ids = { organizationId: organization.id, leadId: id, noteId: randomUUID() };
  const Item = { ...places.note.key(ids), text: 'Left.', user_id: randomUUID() };
  await table.send(new PutCommand({ TableName, Item }));
  expect(await erase(organization, id)).toEqual([202, 204]);
});

test('erasing against patches, notes, restores, merges and other erasing leaves nothing behind', async () => {
  const organization = await provisionWithFields();
  const person = new Person(organization);
  const other = (await organization.lead({ contact_name: 'Somebody else' })).id;
  for (let round = 0; round < 2; round++) {
    const { id } = (await person.ask('post', '/leads', person.lead())).body;
    const path = `/leads/${id}`;
    const answers = await Promise.all([
      person.ask('patch', path, { company_name: person.planted.word() }),
      person.ask('patch', path, {}),
      person.ask('post', `${path}/notes`, { text: person.planted.word() }),
      person.ask('post', `${path}/restore`),
      round === 1
        ? person.ask('post', `/leads/${other}/merge`, { from: id })
        : person.ask('delete', path),
      eraseOnce(organization, id),
      eraseOnce(organization, id),
    ]);
    for (const { status, text } of answers) {
      expect([200, 201, 202, 204, 404, 409], text).toContain(status);
    }
    const last = await eraseOnce(organization, id);
    const survivor = last.status === 404 ? last.body.error.details[0].lead_id : id;
    if (survivor !== id) expect(survivor).toBe(other);
    await erase(organization, survivor);
    if (survivor === other) break;
  }
  const left = (await writtenOf(organization.id)).filter(
    (item) => person.planted.in(JSON.stringify(item)).length > 0,
  );
  expect(left.filter(({ lead_id }) => lead_id !== other)).toEqual([]);
});

/** What the examples say of a person. A fingerprint of a request has short names in it by chance, but not as words. */
const ofExamples = /\b(Ana|Maria|Rui)\b|Padaria|Silva|padaria|@example|\+5511|Wants a call/;

test('whatever is answered to an example is found by whoever erases its lead', {
  tags: ['long'],
}, async () => {
  const organization = await provision();
  const around = setting(organization);
  const sender = senderOf(organization);
  const writing = (await loadExamples()).flatMap(({ operation, examples }) =>
    operation.kind === 'routed' && operation.idempotent && /leads/.test(operation.path)
      ? examples.map((example) => ({ operation, example }))
      : [],
  );
  let answers = 0;
  for (const { operation, example } of writing) {
    const request = await example.request(around);
    // The second time, most change nothing. Each has a key of its own.
    for (const _ of [1, 2]) {
      await call(operation.method, pathOf(operation, request), {
        headers: headersOf(operation, request, sender),
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      });
      answers++;
    }
  }
  expect(answers).toBeGreaterThan(60);
  const holding = async () =>
    (await writtenOf(organization.id)).filter((item) => ofExamples.test(JSON.stringify(item)));
  expect((await holding()).length).toBeGreaterThan(200);
  const keys = (await writtenOf(organization.id)).map(({ pk }) => String(pk).split('#'));
  const ids = keys.flatMap(([kind, , id]) => (kind === 'HISTORY' ? id! : []));
  for (const id of new Set(ids)) {
    const { status } = await eraseOnce(organization, id);
    expect([202, 204, 404]).toContain(status);
  }
  expect((await holding()).map(({ pk, sk }) => [pk, sk])).toEqual([]);
  await eventually(
    () => readFeed(organization),
    (feed) => !ofExamples.test(JSON.stringify(feed)),
  );
});
