import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { change, toTold } from '../../../../lib/changes/change.ts';
import { ContentOfLeads } from '../../../../lib/leads/erasure/erase-content.ts';
import type { TableClient } from '../../../../lib/table/client.ts';
import { type Key, ordinal, places } from '../../../../lib/table/keys.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { commitIn } from '../../../support/origin.ts';
import { table as client } from '../../changes/outbox.ts';

// A lead with more content than a request has time for.

const secret = 'somebody’s';
const [organizationId, userId] = [randomUUID(), randomUUID()];

const put = async (items: readonly Item[]): Promise<Item[]> => {
  for (let i = 0; i < items.length; i += 50) {
    await client.transact(items.slice(i, i + 50).map((Item) => ({ Put: { Item } })));
  }
  return [...items];
};

const day = 24 * 60 * 60;
const now = Math.floor(Date.now() / 1000);
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

const nameOf = (leadId: string, n: number) => `updateLead#${leadId}#${n}`;
const record = (leadId: string, n: number, reply = secret) => ({
  ...places.idempotencyRecord.key({ organizationId, userId, record: nameOf(leadId, n) }),
  fingerprint: 'f',
  raw: 'f',
  reply,
  expires_at: now + day,
});
const trace = (leadId: string, n: number, at = now) => ({
  ...places.recordTrace.key({ organizationId, leadId, userId, record: nameOf(leadId, n) }),
  expires_at: at + 8 * day,
});

const entry = (leadId: string, n: number, at = now) => ({
  ...places.historyEntry.key({ organizationId, leadId, version: ordinal(n) }),
  version: n,
  type: 'lead.updated',
  at: isoOf(at),
  user_id: userId,
  record: nameOf(leadId, n),
  changes: [{ field: 'contact_name', from: secret, to: secret }],
});

const noteEntry = (leadId: string, noteId: string) => ({
  ...places.noteHistoryEntry.key({ organizationId, leadId, noteId, version: ordinal(1) }),
  version: 1,
  type: 'note.created',
  at: isoOf(now),
  user_id: userId,
  text: secret,
});

/** A lead that was erased just now, with so many entries; of every third, the record has ended. */
const filled = async (leadId: string, entries: number, more: Item[] = []): Promise<Item[]> => {
  const numbers = Array.from({ length: entries }, (_, i) => i + 1);
  const notes = numbers.slice(0, 5).map(() => randomUUID());
  const deleted = randomUUID();
  return put([
    ...more,
    ...numbers.map((n) => entry(leadId, n)),
    ...numbers.filter((n) => n % 3 > 0).map((n) => record(leadId, n)),
    ...notes.flatMap((id) => [
      {
        ...places.note.key({ organizationId, leadId, noteId: id }),
        text: secret,
        user_id: userId,
      },
      noteEntry(leadId, id),
    ]),
    noteEntry(leadId, deleted),
    { ...places.noteTrace.key({ organizationId, leadId, noteId: deleted }) },
    record(leadId, 0),
    trace(leadId, 0),
    {
      ...entry(leadId, entries + 1),
      type: 'lead.erased',
      record: undefined,
      changes: [],
      erased: true,
    },
  ]);
};

type Query = TableClient['query'];

/** One request: its time is over when it was looked at so often. */
const pass = (
  leadId: string,
  looks: number,
  query: Query = (input) => client.query(input),
): Promise<boolean> => {
  let left = looks;
  const table = {
    deadline: 0,
    get: client.get.bind(client),
    getAll: client.getAll.bind(client),
    getAllEventually: client.getAllEventually.bind(client),
    query,
    within: () => client.within(),
  };
  Object.defineProperty(table, 'deadline', {
    get: () => (left-- > 0 ? Number.POSITIVE_INFINITY : 0),
  });
  const call = { organizationId, userId, now: Date.now() };
  return new ContentOfLeads(call, table, commitIn(client)).remove(leadId);
};

const itemsOf = async (written: readonly Item[]): Promise<Item[]> => {
  const keys = written.map(({ pk, sk }) => ({ pk, sk }) as Key);
  return (await client.getAll(keys)).flatMap((item) => (item ? [item] : []));
};

test('erasing goes on where time was over, until a pass finds nothing', async () => {
  const leadId = randomUUID();
  const written = await filled(leadId, 65);
  const before = await itemsOf(written);
  expect(before.length).toBe(written.length);
  // No time to look, or to look only.
  for (const looks of [0, 1]) expect(await pass(leadId, looks)).toBe(true);
  expect(await itemsOf(written)).toEqual(before);
  let passes = 1;
  while (await pass(leadId, 12)) expect(++passes).toBeLessThan(50);
  expect(passes).toBeGreaterThan(1);
  const left = await itemsOf(written);
  expect(JSON.stringify(left)).not.toContain(secret);
  // Entries and records stay: the feed has no gap, and no late try takes effect.
  const count = (kind: string) => left.filter(({ pk }) => String(pk).startsWith(kind)).length;
  expect(['HISTORY', 'NOTE_HISTORY', 'IDEMPOTENCY', 'NOTES', 'TRACES'].map(count)).toEqual([
    66, 6, 45, 0, 0,
  ]);
  expect(left.filter((item) => 'record' in item)).toEqual([]);
  expect(await pass(leadId, 12)).toBe(false);
  // Without time to look, it can't say that nothing is left.
  expect(await pass(leadId, 0)).toBe(true);
  // Whoever numbers them only now, and sends them on, finds changes without content.
  const numbered = { sequence: 1, feed: randomUUID() };
  for (const item of left.filter(({ pk }) => /^(HISTORY|NOTE_HISTORY)/.test(String(pk)))) {
    const told = change.parse(toTold({ ...item, ...numbered }).change);
    expect(told).toMatchObject(
      'changes' in told ? { erased: true, changes: [] } : { erased: true, text: null },
    );
  }
});

test('content of many pages goes in one pass, and a pass that fails says so', async () => {
  const leadId = randomUUID();
  const written = await filled(leadId, 9);
  const failing = pass(leadId, 1000, () => Promise.reject(new Error('no answer')));
  await expect(failing).rejects.toThrow('no answer');
  expect(await pass(leadId, 1000, (input) => client.query({ ...input, limit: 2 }))).toBe(true);
  expect(JSON.stringify(await itemsOf(written))).not.toContain(secret);
});

test('what was merged into it goes with it, by however many others', async () => {
  const leads = Array.from({ length: 12 }, () => randomUUID());
  const merged = (i: number, version: number, link: object): Item[] =>
    leads[i] && leads[i + 1] ? [{ ...entry(leads[i], version), ...link }] : [];
  const written = await Promise.all(
    leads.map((leadId, i) =>
      filled(leadId, 1, [
        ...merged(i, 3, { type: 'lead.merged', merged_from: leads[i + 1] }),
        ...(i > 0
          ? [{ ...entry(leadId, 4), type: 'lead.deleted', merged_into: leads[i - 1] }]
          : []),
      ]),
    ),
  ).then((all) => all.flat());
  let passes = 1;
  while (await pass(leads[0]!, 40)) passes++;
  expect(passes).toBeGreaterThan(2);
  expect(JSON.stringify(await itemsOf(written))).not.toContain(secret);
  // Each is erased once, however often a pass came by; the last one does not even look at them.
  let queries = 0;
  const counted: Query = (input) => {
    queries++;
    return client.query(input);
  };
  expect(await pass(leads[0]!, 1000, counted)).toBe(false);
  expect(queries).toBe(3);
  for (const leadId of leads.slice(1)) {
    const values = { ':pk': places.historyEntry.partition({ organizationId, leadId }) };
    const { items } = await client.query({ condition: 'pk = :pk', values, limit: 100 });
    const types = items.map(({ type }) => type);
    expect(types.slice(types.indexOf('lead.deleted'))).toEqual(['lead.deleted', 'lead.erased']);
  }
});

test('the answer of another request that took the key after its day stays', async () => {
  const leadId = randomUUID();
  const before = now - 3 * day;
  const others = await put([1, 2].map((n) => record(leadId, n, 'of another lead')));
  const own = await put([3, 4, 5, 6].map((n) => record(leadId, n)));
  await put([
    // These keys were used three days ago, and now for another lead.
    entry(leadId, 1, before),
    trace(leadId, 2, before),
    entry(leadId, 3),
    trace(leadId, 4),
    // A part of a batch that was repeated just before the key's day was over.
    entry(leadId, 5, now + day - 1),
    // Both times for this lead.
    entry(leadId, 6, before),
    { ...entry(leadId, 7), record: nameOf(leadId, 6) },
    { ...entry(leadId, 8), type: 'lead.erased', record: undefined, changes: [], erased: true },
  ]);
  expect(await pass(leadId, 1000)).toBe(true);
  expect(await itemsOf(others)).toEqual(others);
  const emptied = (await itemsOf(own)).map(({ reply }) => JSON.parse(String(reply)));
  expect(emptied).toEqual(own.map(() => ({ error: { code: 'not_found' } })));
  expect(await pass(leadId, 1000)).toBe(false);
});
