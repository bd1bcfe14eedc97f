import { beforeAll, describe, expect, test } from 'vitest';
import { itemsOf } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

// What a definition may be is in test/unit/fields/definition.test.ts, what a field takes and what leads are filtered
// by in check.test.ts there.

const define = async (organization: Organization, ...fields: object[]) => {
  for (const field of fields) {
    const { status, text } = await organization.post('/fields', { label: 'Field', ...field });
    expect(status, text).toBe(201);
  }
};
const source = { key: 'source', type: 'select', options: ['google', 'fair'], filterable: true };

describe('custom fields', () => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await provision();
    await define(organization, source, { key: 'age', type: 'number' });
  });

  test('are listed in the order in which they were made, and changed but for key, type and filter', async () => {
    await define(organization, { key: 'a1', type: 'text' });
    const { body } = await organization.get('/fields', { role: 'viewer' });
    expect(body.items.map(({ key }: { key: string }) => key)).toEqual(['source', 'age', 'a1']);
    const changed = await organization.patch('/fields/a1', { label: 'Name', archived: true });
    expect(changed.body).toMatchObject({ key: 'a1', label: 'Name', archived: true, options: [] });
    for (const patch of [{ key: 'b' }, { type: 'url' }, { filterable: true }, { label: null }]) {
      expect((await organization.patch('/fields/a1', patch)).status).toBe(400);
    }
    expect((await organization.patch('/fields/b1', { label: 'B' })).status).toBe(404);
    const again = { label: 'Field', key: 'source', type: 'text' };
    const { error } = (await organization.post('/fields', again)).body;
    expect([error.code, error.details[0].path]).toEqual(['invalid_request', 'key']);
  });

  test('are checked wherever a lead is written, and the error names the field', async () => {
    const { id } = await organization.lead({ fields: { age: 7 } });
    const wrong = { fields: { age: 'seven', nothing: 1 } };
    const pipeline_id = organization.pipelineId;
    const lead = { contact_name: 'Ana', pipeline_id, external_id: 'crm-1', ...wrong };
    const match = 'external_id';
    const expected = ['fields.age', 'fields.nothing'];
    const pathsOf = (error: { details: { path: string }[] }) => error.details.map((d) => d.path);
    for (const { body } of [
      await organization.post('/leads', lead),
      await organization.patch(`/leads/${id}`, wrong),
    ]) {
      expect(pathsOf(body.error)).toEqual(expected);
    }
    const upsert = await organization.post('/leads/upsert', { match, lead });
    expect(pathsOf(upsert.body.error)).toEqual(expected.map((path) => `lead.${path}`));
    for (const { body } of [
      await organization.post('/leads/batch', { leads: [lead] }),
      await organization.post('/leads/batch', { match, leads: [lead] }),
      await organization.post('/leads/batch', { dry_run: true, leads: [lead] }),
      await organization.patch('/leads/batch', { leads: [{ id, patch: wrong }] }),
    ]) {
      expect(pathsOf(body.items[0].error)).toEqual(expected);
    }
    expect((await organization.get(`/leads/${id}`)).body.fields).toEqual({ age: 7 });
  });

  test('of upserts and batches are merged into what a lead has', async () => {
    const upsert = async (fields: object | null) => {
      const of = { contact_name: 'Rui', pipeline_id: organization.pipelineId };
      const lead = { ...of, external_id: 'crm-2', fields };
      return (await organization.post('/leads/upsert', { match: 'external_id', lead })).body;
    };
    expect((await upsert({ age: 1, source: 'fair' })).outcome).toBe('created');
    expect((await upsert({ age: 1 })).outcome).toBe('unchanged');
    const updated = await upsert({ age: 2 });
    expect(updated.lead.fields).toEqual({ age: 2, source: 'fair' });
    const leads = [{ id: updated.lead.id, patch: { fields: { source: null } } }];
    const { body } = await organization.patch('/leads/batch', { leads });
    expect(body.items[0].lead.fields).toEqual({ age: 2 });
    expect((await upsert(null)).lead.fields).toEqual({});
    expect(await itemsOf(organization, 'FIELD')).toEqual([]);
  });
});

test('fields that are made at once are all there, and no limit is passed', async () => {
  const organization = await provision();
  const post = (key: string) =>
    organization.post('/fields', { key, label: 'F', type: 'text', filterable: true });
  const made = await Promise.all(Array.from({ length: 14 }, (_, i) => post(`f${i}`)));
  const statuses = made.map(({ status }) => status);
  // Whoever waited too long for the others may try again.
  for (const status of statuses) expect([201, 409, 504]).toContain(status);
  const { items } = (await organization.get('/fields')).body;
  expect(items.length).toBe(statuses.filter((status) => status === 201).length);
  expect(items.length).toBeLessThanOrEqual(10);
  for (let n = items.length; n < 10; n++) expect((await post(`g${n}`)).status).toBe(201);
  const { error } = (await post('last')).body;
  expect([error.code, error.details[0].path]).toEqual(['limit_reached', 'filterable']);
  // A list may name all of them, and no more.
  const { body } = await organization.get('/fields');
  const keys: string[] = body.items.map(({ key }: { key: string }) => key);
  const by = (all: string[]) =>
    organization.get(`/leads?${all.map((key) => `fields[${key}]=x`).join('&')}`);
  expect([keys.length, (await by(keys)).status]).toEqual([10, 200]);
  expect((await by([...keys, 'last'])).body.error.details).toEqual([
    { path: 'fields', message: 'must have at most 10 fields' },
  ]);
});

// Any changes of a text field are in test/api/leads/any-sequence.test.ts.
test('leads are listed by custom fields of each type, several of them, and with other filters', async () => {
  const organization = await provision();
  const vip = { key: 'vip', type: 'boolean', filterable: true };
  await define(organization, source, vip, { key: 'age', type: 'number', filterable: true });
  const { id } = await organization.lead({ fields: { source: 'fair', vip: false, age: 5 } });
  const other = await organization.lead({ fields: { vip: true, age: 5.5 }, tags: ['a'] });
  const { body: lead } = await organization.patch(`/leads/${id}`, { fields: { vip: true } });
  const all: [string, object[]][] = [
    ['fields[source]=fair', [lead]],
    ['fields[source]=google', []],
    ['fields[vip]=true', [other, lead]],
    ['fields[vip]=false', []],
    ['fields[age]=5', [lead]],
    ['fields[age]=5.5', [other]],
    ['fields[source]=fair&fields[vip]=true', [lead]],
    ['fields[vip]=true&tag=a&stage=new', [other]],
  ];
  for (const [query, leads] of all) {
    expect([query, await organization.readAll(`/leads?${query}`, 1)]).toEqual([query, leads]);
  }
  expect((await itemsOf(organization, 'FIELD')).length).toBe(5);
  const wrong = ['fields=x', 'fields[Source]=x', 'fields[]=x', 'colour[source]=x', 'fields[no]=x'];
  const twice = 'fields[source]=fair&fields[source]=google';
  for (const query of [...wrong, twice, 'fields[__proto__]=x', 'fields[constructor]=x']) {
    expect((await organization.get(`/leads?${query}`)).status, query).toBe(400);
  }
});
