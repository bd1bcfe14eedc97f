import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { firstIdAt } from '../../lib/leads/lead.ts';
import { switchSearch } from '../../lib/search/switch.ts';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import { leadKey, organizationKey } from '../../lib/table/keys.ts';
import './support.ts';

const table = openTable();

/** An organization; and a table that tells of each change of the search's state, and of each reading of leads. */
const watched = async (told: (what: string) => Promise<void>) => {
  const organizationId = randomUUID();
  const key = organizationKey(organizationId);
  await table.transact([{ Put: { Item: { ...key, search: 'off' } } }]);
  const watching = new Proxy(table, {
    get: (_, name: 'query') => async (input: never, options: never) => {
      const before = (await table.get(key))?.search;
      const result = await (table[name] as (...all: never[]) => Promise<unknown>)(input, options);
      const after = (await table.get(key))?.search;
      if (before !== after) await told(String(after));
      if (name === 'query') await told('leads');
      return result;
    },
  }) as TableClient;
  return { organizationId, watching };
};

test('search is on once all leads have their words, also one that came back meanwhile', async () => {
  const told: string[] = [];
  const { organizationId, watching } = await watched(async (what) => void told.push(what));
  const key = leadKey(organizationId, firstIdAt(Date.parse('2026-01-01T00:00:00Z')));
  const ended = async () => {
    told.push('ended');
    // By a request that has read that there is no search.
    const lead = { contact_name: 'Ana', pipeline_id: randomUUID(), stage: 'new', unique: [] };
    await table.transact([{ Put: { Item: { ...key, ...lead } } }]);
  };
  const filled = await switchSearch(watching, organizationId, 'on', ended);
  expect(filled).toEqual({ leads: 1, changed: 1 });
  expect(told).toEqual(['filling', 'ended', 'leads', 'on']);
  expect(await table.get(key)).toMatchObject({ searchable: true });
});

test('search is off before the first lead loses its words', async () => {
  const told: string[] = [];
  const { organizationId, watching } = await watched(async (what) => void told.push(what));
  await table.transact([{ Put: { Item: { ...organizationKey(organizationId), search: 'on' } } }]);
  await switchSearch(watching, organizationId, 'off', async () => {});
  expect(told).toEqual(['off', 'leads']);
});

test('there is no search of an organization that is not there', async () => {
  const organizationId = randomUUID();
  await expect(switchSearch(table, organizationId, 'on')).rejects.toThrow();
  expect(await table.get(organizationKey(organizationId))).toBeUndefined();
});
