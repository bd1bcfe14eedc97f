import { readdirSync, statSync } from 'node:fs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Change } from '../../../lib/changes/change.ts';
import { feedUntil } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';
import { Leads } from './leads.ts';

/** Every item of an organization that a scan of the whole table finds. */
const itemsOf = async ({ id }: Organization): Promise<Record<string, unknown>[]> => {
  const items: Record<string, unknown>[] = [];
  let last: Record<string, unknown> | undefined;
  do {
    const scan = { TableName: inject('service').tableName, ExclusiveStartKey: last };
    const { Items = [], LastEvaluatedKey } = await table.send(new ScanCommand(scan));
    items.push(...Items.filter(({ pk, sk }) => `${pk} ${sk}`.includes(id)));
    last = LastEvaluatedKey;
  } while (last);
  return items;
};

/** A value is marked as of a person, so that it is known wherever it is stored. */
const mark = (person: string, what: string) => `zq${person}${what}qz`;
const marksIn = (value: unknown): Set<string> =>
  new Set(
    JSON.stringify(value)
      .toLowerCase()
      .match(/zq[a-z0-9]+qz/g),
  );

/** A person with all that can be known of one: merges in a row, changes, notes that were changed and deleted. */
const makePerson = async (organization: Organization, person: string) => {
  const lead = (what: string) =>
    organization.lead({
      contact_name: mark(person, `name${what}`),
      email: `${mark(person, `mail${what}`)}@example.com`,
      external_id: mark(person, `id${what}`),
      tags: [mark(person, `tag${what}`)],
      fields: { city: mark(person, `city${what}`) },
    });
  const [first, second, third] = [await lead('a'), await lead('b'), await lead('c')];
  await organization.patch(`/leads/${second.id}`, {
    company_name: mark(person, 'company'),
    contact_name: mark(person, 'later'),
    fields: { city: mark(person, 'town') },
  });
  const note = async (id: string, text: string) =>
    (await organization.post(`/leads/${id}/notes`, { text: mark(person, text) })).body.id;
  await note(first.id, 'note');
  const deleted = await note(second.id, 'secret');
  const path = `/leads/${second.id}/notes/${deleted}`;
  await organization.patch(path, { text: mark(person, 'changed') });
  await organization.delete(path);
  await note(third.id, 'third');
  // Only the feed has what was in a note that is gone.
  const isDeletion = (change: Change) =>
    change.type === 'note.deleted' && change.note_id === deleted;
  await feedUntil(organization, isDeletion);
  for (const [into, from] of [
    [second, third],
    [first, second],
  ] as const) {
    const { status } = await organization.post(`/leads/${into.id}/merge`, { from: from.id });
    expect(status).toBe(200);
  }
  return [first.id, second.id, third.id] as [string, string, string];
};

const setUp = async () => {
  const organization = await provision();
  await organization.post('/fields', { key: 'city', label: 'City', type: 'text' });
  const leads = await Leads.of(organization);
  onTestFinished(() => leads.close());
  await leads.setToken(organization.tokens.support);
  const read = async (...args: string[]) => {
    const ended = await leads.run('person', ...args);
    return { ...ended, person: JSON.parse(ended.stdout || '{}') };
  };
  return { organization, leads, read };
};

test('a person’s file has each value that a scan of the whole table finds of that person', async () => {
  const { organization, leads, read } = await setUp();
  const [first, second, third] = await makePerson(organization, 'p');
  await makePerson(organization, 'other');
  const stored = [...marksIn(await itemsOf(organization))];
  const own = stored.filter((one) => one.startsWith('zqp')).sort();
  expect(own).toEqual(
    expect.arrayContaining(['secret', 'changed', 'namec', 'later'].map((what) => mark('p', what))),
  );
  expect(stored.length).toBeGreaterThan(own.length);
  const { code, stderr, person } = await read(first);
  expect([code, stderr, person.missing]).toEqual([0, '', []]);
  expect([...marksIn(person)].sort()).toEqual(own);
  const { leads: found } = person as { leads: { lead_id: string; lead: unknown }[] };
  expect(found.map(({ lead_id }) => lead_id)).toEqual([first, second, third]);
  // All that the API tells of each lead is in it as it is told.
  expect(found[0]).toEqual({
    lead_id: first,
    lead: (await organization.get(`/leads/${first}`)).body,
    history: await organization.readAll(`/leads/${first}/history`),
    notes: await organization.readAll(`/leads/${first}/notes`),
  });
  // From any lead that was merged, or deleted, all of the person is found.
  await organization.delete(`/leads/${first}`);
  const file = leads.path('person.json');
  const ended = await leads.run('person', third, file);
  expect([ended.code, ended.stdout]).toEqual([
    0,
    expect.stringMatching(/^Leads that are this person: 3, notes: 2, changes: \d+\n$/),
  ]);
  const again = JSON.parse(await leads.read('person.json'));
  expect([...marksIn(again)].sort()).toEqual(own);
  expect(again.leads.map(({ lead }: { lead: unknown }) => lead)).toEqual([null, null, null]);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('whoever may not read the feed is told what is missing, and has the rest', async () => {
  const { organization, leads, read } = await setUp();
  const [first] = await makePerson(organization, 'p');
  await leads.setToken(organization.tokens.viewer);
  const { code, stderr, person } = await read(first);
  expect([code, person.changes, person.missing.length]).toEqual([0, [], 1]);
  expect(stderr).toMatch(/^Earlier texts of notes, and those of deleted notes, are missing/);
  expect(marksIn(person)).toContain(mark('p', 'later'));
  expect(marksIn(person)).not.toContain(mark('p', 'secret'));
});

test.each(['billing', 'meter'] as const)('as %s, nothing is written', async (role) => {
  const { organization, leads } = await setUp();
  const { id } = await organization.lead();
  await leads.setToken(organization.tokens[role]);
  const { code, stderr } = await leads.run('person', id, leads.path('person.json'));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^forbidden/)]);
  expect(readdirSync(leads.path('.'))).toEqual(['token']);
});

test('a lead that never was, and what is no id, are told, and leave no file', async () => {
  const { organization, leads } = await setUp();
  const { id: other } = await (await provision()).lead();
  const never = await leads.run('person', other, leads.path('person.json'));
  expect([never.code, never.stderr]).toEqual([
    1,
    `There never was a lead ${other} in this organization.\n`,
  ]);
  const wrong = await leads.run('person', 'ana', leads.path('person.json'));
  expect([wrong.code, wrong.stderr]).toEqual([1, 'The lead must be a UUID.\n']);
  expect(readdirSync(leads.path('.'))).toEqual(['token']);
  const { id } = await organization.lead();
  expect((await leads.run('person', id.toUpperCase(), '-')).code).toBe(0);
});
