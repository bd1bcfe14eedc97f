import { beforeAll, expect, test } from 'vitest';
import { itemsOf } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

// What a field takes and what leads are filtered by is in test/unit/fields/check.test.ts.

const define = async (organization: Organization, ...fields: object[]) => {
  for (const field of fields) {
    const { status, text } = await organization.post('/fields', { label: 'Field', ...field });
    expect(status, text).toBe(201);
  }
};
const source = { key: 'source', type: 'select', options: ['google', 'fair'], filterable: true };

let organization: Organization;
beforeAll(async () => {
  organization = await provision();
  await define(organization, source, { key: 'age', type: 'number' });
});

test('custom fields are checked wherever a lead is written, and the error names the field', async () => {
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

test('custom fields of upserts and batches are merged into what a lead has', async () => {
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
