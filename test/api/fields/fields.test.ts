import { beforeAll, describe, expect, test } from 'vitest';
import { itemsOf } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

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
  });

  test.each([
    [{ key: 'source', type: 'text' }, 'key'],
    [{ key: 'Source', type: 'text' }, 'key'],
    [{ key: 'x'.repeat(51), type: 'text' }, 'key'],
    [{ key: 'constructor', type: 'text' }, 'key'],
    [{ key: 'x', type: 'select' }, 'options'],
    [{ key: 'x', type: 'text', options: ['a'] }, 'options'],
    [{ key: 'x', type: 'select', options: ['a', 'a'] }, 'options'],
    [{ key: 'x', type: 'url', filterable: true }, 'filterable'],
  ])('refuses %j', async (field, path) => {
    const { status, body } = await organization.post('/fields', { label: 'Field', ...field });
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  });

  test('may be made by admins, and used by agents', async () => {
    const field = { key: 'city', label: 'City', type: 'text' };
    expect((await organization.post('/fields', field, { role: 'agent' })).status).toBe(403);
    expect((await organization.post('/fields', field, { role: 'admin' })).status).toBe(201);
    const lead = {
      contact_name: 'Ana',
      pipeline_id: organization.pipelineId,
      fields: { city: 'São Paulo' },
    };
    expect((await organization.post('/leads', lead, { role: 'agent' })).status).toBe(201);
  });

  test('are checked wherever a lead is written, and the error names the field', async () => {
    const { id } = await organization.lead({ fields: { age: 7 } });
    const wrong = { fields: { age: 'seven', nothing: 1 } };
    const lead = {
      contact_name: 'Ana',
      pipeline_id: organization.pipelineId,
      external_id: 'crm-1',
      ...wrong,
    };
    const expected = ['fields.age', 'fields.nothing'];
    const pathsOf = (error: { details: { path: string }[] }) => error.details.map((d) => d.path);
    const whole = [
      await organization.post('/leads', lead),
      await organization.patch(`/leads/${id}`, wrong),
    ];
    for (const { body } of whole) expect(pathsOf(body.error)).toEqual(expected);
    const upsert = await organization.post('/leads/upsert', { match: 'external_id', lead });
    expect(pathsOf(upsert.body.error)).toEqual(expected.map((path) => `lead.${path}`));
    const parts = [
      await organization.post('/leads/batch', { leads: [lead] }),
      await organization.post('/leads/batch', { match: 'external_id', leads: [lead] }),
      await organization.post('/leads/batch', { dry_run: true, leads: [lead] }),
      await organization.patch('/leads/batch', { leads: [{ id, patch: wrong }] }),
    ];
    for (const { body } of parts) expect(pathsOf(body.items[0].error)).toEqual(expected);
    expect((await organization.get(`/leads/${id}`)).body.fields).toEqual({ age: 7 });
  });

  test('of upserts and batches are merged into what a lead has', async () => {
    const lead = (fields: object | null) => ({
      contact_name: 'Rui',
      pipeline_id: organization.pipelineId,
      external_id: 'crm-2',
      fields,
    });
    const upsert = (fields: object | null) =>
      organization.post('/leads/upsert', { match: 'external_id', lead: lead(fields) });
    expect((await upsert({ age: 1, source: 'fair' })).body.outcome).toBe('created');
    expect((await upsert({ age: 1 })).body.outcome).toBe('unchanged');
    const updated = await upsert({ age: 2 });
    expect(updated.body.lead.fields).toEqual({ age: 2, source: 'fair' });
    const { id } = updated.body.lead;
    const patch = { leads: [{ id, patch: { fields: { source: null } } }] };
    const { body } = await organization.patch('/leads/batch', patch);
    expect(body.items[0].lead.fields).toEqual({ age: 2 });
    expect((await upsert(null)).body.lead.fields).toEqual({});
    expect(await itemsOf(organization, 'FIELD')).toEqual([]);
  });
});

test('fields that are made at once are all there, and no limit is passed', async () => {
  const organization = await provision();
  const made = await Promise.all(
    Array.from({ length: 14 }, (_, i) =>
      organization.post('/fields', { key: `f${i}`, label: 'F', type: 'text', filterable: true }),
    ),
  );
  const statuses = made.map(({ status }) => status);
  // Whoever waited too long for the others may try again.
  for (const status of statuses) expect([201, 409, 504]).toContain(status);
  const { items } = (await organization.get('/fields')).body;
  expect(items.length).toBe(statuses.filter((status) => status === 201).length);
  expect(items.length).toBeLessThanOrEqual(10);
  const more = { label: 'F', type: 'text', filterable: true };
  for (let n = items.length; n < 10; n++) await define(organization, { key: `g${n}`, ...more });
  const { body } = await organization.post('/fields', { key: 'last', ...more });
  expect([body.error.code, body.error.details[0].path]).toEqual(['limit_reached', 'filterable']);
  // A list may name all of them, and no more.
  const keys: string[] = (await organization.get('/fields')).body.items.map(
    ({ key }: { key: string }) => key,
  );
  const by = (all: string[]) =>
    organization.get(`/leads?${all.map((key) => `fields[${key}]=x`).join('&')}`);
  expect([keys.length, (await by(keys)).status]).toEqual([10, 200]);
  expect((await by([...keys, 'last'])).body.error.details).toEqual([
    { path: 'fields', message: 'must have at most 10 fields' },
  ]);
});

describe('leads are listed by custom fields', () => {
  test('that are filterable, and by what they can have', async () => {
    const organization = await provision();
    await define(
      organization,
      source,
      { key: 'vip', type: 'boolean', filterable: true },
      { key: 'age', type: 'number', filterable: true },
      { key: 'born', type: 'date', filterable: true },
      { key: 'site', type: 'url' },
    );
    const wrong: [string, string][] = [
      ['fields[nothing]=1', 'is not a field of this organization'],
      ['fields[site]=https://example.com', 'is not filterable'],
      ['fields[vip]=yes', 'must be true or false'],
      ['fields[age]=07', 'must be a number in its shortest form, as 12.5'],
      [
        `pipeline_id=${organization.pipelineId}&fields[age]=9007199254740992`,
        'must be a number in its shortest form, as 12.5',
      ],
      ['fields[born]=1990', 'must be a date, as 2026-11-21'],
    ];
    for (const [query, message] of wrong) {
      const { status, body } = await organization.get(`/leads?${query}`);
      const path = /\[(.*)\]/.exec(query)![1];
      expect([query, status, body.error?.details]).toEqual([
        query,
        400,
        [{ path: `fields.${path}`, message }],
      ]);
    }
    const malformed = ['fields=x', 'fields[Source]=x', 'fields[]=x', 'colour[source]=x'];
    for (const query of [...malformed, 'fields[__proto__]=x', 'fields[constructor]=x']) {
      expect((await organization.get(`/leads?${query}`)).status, query).toBe(400);
    }
    const twice = await organization.get('/leads?fields[source]=fair&fields[source]=google');
    expect(twice.status).toBe(400);
    expect((await organization.get('/leads?fields[source]=fair')).body.items).toEqual([]);
  });

  // Any changes of a text field are in test/api/leads/any-sequence.test.ts.
  test('of each type, several of them, and with other filters', async () => {
    const organization = await provision();
    await define(
      organization,
      source,
      { key: 'vip', type: 'boolean', filterable: true },
      { key: 'age', type: 'number', filterable: true },
    );
    const { id } = await organization.lead({ fields: { source: 'fair', vip: false, age: 5 } });
    const other = await organization.lead({ fields: { vip: true, age: 5.5 }, tags: ['a'] });
    const { body: lead } = await organization.patch(`/leads/${id}`, { fields: { vip: true } });
    const both = [other, lead];
    const all: [string, object[]][] = [
      ['fields[source]=fair', [lead]],
      ['fields[source]=google', []],
      ['fields[vip]=true', both],
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
  });
});
