import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { firstIdAt } from '../../../../lib/leads/lead.ts';
import { reindexLeads } from '../../../../lib/leads/search/reindex.ts';
import { switchSearch } from '../../../../lib/leads/search/switch.ts';
import { openTable, type TableClient } from '../../../../lib/table/client.ts';
import { leadKey, organizationKey } from '../../../../lib/table/keys.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { FaultStore } from '../../../support/faults/fault-store.ts';
import '../../support.ts';

const table = openTable();

const lead = { contact_name: 'Ana', pipeline_id: randomUUID(), stage: 'new', unique: [] };

const put = (items: Item[]) => table.transact(items.map((Item) => ({ Put: { Item } })));

/** An organization; and a table that tells of each change of the search's state, and of each reading of leads. */
const watched = async (search: string) => {
  const organizationId = randomUUID();
  const key = organizationKey(organizationId);
  await put([{ ...key, search }]);
  const told: string[] = [];
  const store = new FaultStore(async ({ operation }, pass) => {
    const before = (await table.get(key))?.search;
    const output = await pass();
    const after = (await table.get(key))?.search;
    if (before !== after) told.push(String(after));
    if (operation === 'Query') told.push('leads');
    return output;
  });
  return { organizationId, told, watching: store.table() };
};

test('search is on once all leads have their words, also one that came back meanwhile', async () => {
  const { organizationId, told, watching } = await watched('off');
  const key = leadKey(organizationId, firstIdAt(Date.parse('2026-01-01T00:00:00Z')));
  const ended = async () => {
    told.push('ended');
    // By a request that has read that there is no search.
    await put([{ ...key, ...lead }]);
  };
  const filled = await switchSearch(watching, organizationId, 'on', ended);
  expect(filled).toEqual({ leads: 1, changed: 1 });
  expect(told).toEqual(['reindexing', 'ended', 'leads', 'on']);
  expect(await table.get(key)).toMatchObject({ searchable: true });
});

test.each([
  ['off', 'search is off before the first lead loses its words', ['off', 'leads']],
  ['on', 'what is on already stays on for callers while it is repeated', ['leads']],
] as const)('switched %s: %s', async (to, _what, expected) => {
  const { organizationId, told, watching } = await watched('on');
  await switchSearch(watching, organizationId, to, async () => {});
  expect(told).toEqual(expected);
});

const ended = async () => {};
/** More leads than one page, and a table that has something done before the second page is read. */
const overtaken = async (between: (organizationId: string) => Promise<unknown>) => {
  const organizationId = randomUUID();
  const key = organizationKey(organizationId);
  const keys = Array.from({ length: 101 }, () => leadKey(organizationId, v7()));
  const items = keys.map((one) => ({ ...one, ...lead }));
  await put([{ ...key, search: 'off' }, ...items.slice(0, 99)]);
  await put(items.slice(99));
  let pages = 0;
  const store = new FaultStore(async ({ operation }, pass) => {
    if (operation === 'Query' && ++pages === 2) await between(organizationId);
    return pass();
  });
  /** The state that is told, and how many leads have their words. */
  const outcome = async () => {
    const items = await table.getAll([key, ...keys]);
    return [items[0]?.search, items.filter((item) => item?.searchable).length];
  };
  return { organizationId, shared: store.table(), outcome };
};

const switched = (to: 'on' | 'off') => (on: TableClient, id: string) =>
  switchSearch(on, id, to, ended);

test.each([
  ['on', 'off', switched('on'), switched('off'), 0],
  ['off', 'on', switched('off'), switched('on'), 101],
  ['a fill', 'on', reindexLeads, switched('on'), 101],
])(
  '%s that is overtaken by %s goes on as that one says',
  async (what, state, command, by, filled) => {
    const { organizationId, shared, outcome } = await overtaken((id) => by(table, id));
    const ending = command(shared, organizationId);
    if (what === 'on') await expect(ending).rejects.toThrow('switched off meanwhile');
    else await ending;
    expect(await outcome()).toEqual([state, filled]);
  },
);

test('a fill that was interrupted goes on when it is repeated', async () => {
  const organizationId = randomUUID();
  const leads = Array.from({ length: 60 }, () => ({ ...leadKey(organizationId, v7()), ...lead }));
  await put([{ ...organizationKey(organizationId), search: 'on' }, ...leads]);
  let left = 25;
  const interrupted = new FaultStore(async ({ operation }, pass) => {
    if (operation === 'TransactWrite' && left-- <= 0) throw new Error('interrupted');
    return pass();
  });
  await expect(reindexLeads(interrupted.table(), organizationId)).rejects.toMatchObject({
    code: 'unavailable',
  });
  const rest = await reindexLeads(table, organizationId);
  expect([rest.leads, rest.changed > 0, rest.changed < 60]).toEqual([60, true, true]);
});

test('there is no search of an organization that is not there', async () => {
  const organizationId = randomUUID();
  await expect(switchSearch(table, organizationId, 'on')).rejects.toThrow();
  expect(await table.get(organizationKey(organizationId))).toBeUndefined();
});
