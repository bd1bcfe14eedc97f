import { setTimeout } from 'node:timers/promises';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import type { Lead } from '../../../lib/leads/lead.ts';
import { switchSearch } from '../../../lib/leads/search/switch.ts';
import { wordsOf } from '../../../lib/leads/search/words.ts';
import { expectFindable, itemsOf } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table as engine, openTableAt } from '../../support/table.ts';
import { Admin } from './admin.ts';

// @module-tag long

const { tableEndpoint, tableName: TableName } = inject('service');

const admin = new Admin();
const table = openTableAt(tableEndpoint, TableName);

/** No request is under way that has read another state of the search. */
const ended = async () => {};

const stages = [{ name: 'new', outcome: 'open' }];
const pipelines = [{ name: 'Sales', stages, unique_contact: [] }];

const search = (organization: Organization, q: string) => organization.get(`/leads/search?q=${q}`);

/** Each lead has its words, and there are no others. */
const expectWords = async (organization: Organization) => {
  const leads: Lead[] = await organization.readAll('/leads');
  const words = leads.flatMap((lead) => wordsOf(lead).map((word) => `${word} ${lead.id}`));
  const items = await itemsOf(organization, 'WORDS');
  expect(items.map(({ sk }) => sk).sort()).toEqual(words.sort());
};

/** Takes the lookups and the words of an organization's leads away. */
const removeLookups = async (organization: Organization) => {
  const leads: Lead[] = await organization.readAll('/leads');
  for (const kind of ['CONTACT', 'WORDS']) {
    for (const { pk, sk } of await itemsOf(organization, kind)) {
      await engine.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
    }
  }
  for (const { id } of leads) {
    const Key = { pk: `LEADS#${organization.id}`, sk: id };
    const UpdateExpression = 'REMOVE searchable';
    await engine.send(new UpdateCommand({ TableName, Key, UpdateExpression }));
  }
};

const someLeads = async (organization: Organization, count: number) => {
  const leads = Array.from({ length: count }, (_, i) => ({
    contact_name: `Ana ${i}`,
    pipeline_id: organization.pipelineId,
    email: `ana-${i % 3}@example.com`,
  }));
  for (let i = 0; i < count; i += 100) {
    await organization.post('/leads/batch', { leads: leads.slice(i, i + 100) });
  }
};

test.concurrent('lead fill has leads that lack lookups and words found by them; a repeat finds nothing to do', async () => {
  const organization = await provision({ pipelines });
  await someLeads(organization, 5);
  await removeLookups(organization);
  const byEmail = async () => (await organization.get('/leads?email=ana-0@example.com')).body.items;
  expect(await byEmail()).toEqual([]);
  expect((await search(organization, 'ana')).body.items).toEqual([]);
  expect(await admin.json('lead', 'fill', organization.id)).toEqual({ leads: 5, changed: 5 });
  expect(await byEmail()).toHaveLength(2);
  expect((await search(organization, 'ana')).body.items).toHaveLength(5);
  await expectFindable(organization);
  await expectWords(organization);
  expect(await admin.json('lead', 'fill', organization.id)).toEqual({ leads: 5, changed: 0 });
});

test.concurrent('search off answers 409 and removes the words, search on brings them back', async () => {
  const organization = await provision({ pipelines });
  await someLeads(organization, 3);
  const off = await admin.json('search', 'off', organization.id);
  expect(off).toEqual({ search: 'off', leads: 3, changed: 3 });
  expect((await search(organization, 'ana')).body.error.code).toBe('search_off');
  expect(await itemsOf(organization, 'WORDS')).toEqual([]);
  const { id } = await organization.lead({ contact_name: 'Rui' });
  await organization.patch(`/leads/${id}`, { contact_name: 'Rui Costa' });
  expect(await itemsOf(organization, 'WORDS')).toEqual([]);
  expect((await admin.json('organization', 'show', organization.id)).search).toBe('off');
  await switchSearch(table, organization.id, 'on', ended);
  expect((await search(organization, 'costa')).body.items).toHaveLength(1);
  await expectWords(organization);
});

test.concurrent('leads that are written while the search is switched on and off are as all others', async () => {
  const organization = await provision({ pipelines });
  await someLeads(organization, 150);
  await removeLookups(organization);
  let writing = true;
  const write = async () => {
    while (writing) {
      const leads: Lead[] = (await organization.get('/leads?limit=150')).body.items;
      const lead = leads[Math.floor(Math.random() * leads.length)]!;
      await organization.patch(`/leads/${lead.id}`, {
        contact_name: `Eva ${Math.random()}`,
        email: `eva-${Math.floor(Math.random() * 3)}@example.com`,
      });
      await organization.lead({ contact_name: 'Rui' });
    }
  };
  const writers = [write(), write()];
  await switchSearch(table, organization.id, 'on', () => setTimeout(500));
  writing = false;
  await Promise.all(writers);
  await expectFindable(organization);
  await expectWords(organization);
  await switchSearch(table, organization.id, 'off', ended);
  expect(await itemsOf(organization, 'WORDS')).toEqual([]);
});
