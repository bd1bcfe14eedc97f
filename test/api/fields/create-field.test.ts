import { expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';

// What a definition may be is in test/unit/fields/definition.test.ts.

test('a field comes back with what was not sent, and its key is taken from then on', async () => {
  const organization = await provision();
  const field = { key: 'source', label: 'Source', type: 'select', options: ['google', 'fair'] };
  const { status, body } = await organization.post('/fields', field);
  expect([status, body]).toMatchObject([201, { ...field, filterable: false, archived: false }]);
  const again = await organization.post('/fields', { ...field, type: 'text', options: undefined });
  const { code, details } = again.body.error;
  expect([code, details[0].path]).toEqual(['invalid_request', 'key']);
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
