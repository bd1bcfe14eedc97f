import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runPerson } from '../../../packages/client/src/cli/person.ts';
import { heard } from '../../support/heard.ts';
import { makeDirectory, serviceWith } from './support.ts';

// What is written of a person. By a real service: test/tools/client/person.test.ts.

const [leadId, otherId, thirdId, noteId, strangerId] = [1, 2, 3, 4, 5].map(
  (i) => `0b861954-ed91-4e84-8458-6e46c6a6d30${i}`,
) as [string, string, string, string, string];

type Items = object[];
interface World {
  /** By lead: undefined where it is gone. */
  leads: Record<string, object | undefined>;
  histories: Record<string, Items[]>;
  notes?: Record<string, Items[]>;
  /** All changes of the feed, and how many there are, at each time that it is asked. */
  changes?: { sequence: number }[];
  there?: number[];
  isForbidden?: boolean;
}

const refusal = (status: number, code: string) =>
  Response.json({ error: { code, message: 'No.', request_id: 'r' } }, { status });

/** What is written of the first lead in such a world, with what was said, and what was asked of the feed. */
const personOf = async (world: World, output?: 'pipe' | 'terminal') => {
  const { leads, histories, notes = {}, changes = [], there = [changes.length] } = world;
  let asked = 0;
  const queries: string[] = [];
  const inPages = (pages: Items[] | undefined, url: URL) => {
    if (!pages) return refusal(404, 'not_found');
    const at = Number(url.searchParams.get('cursor') ?? 0);
    const next_cursor = at + 1 < pages.length ? String(at + 1) : null;
    return { items: pages[at] ?? [], next_cursor };
  };
  const ofLead = (id: string): Parameters<typeof serviceWith>[0] => ({
    [`/leads/${id}`]: () => leads[id] ?? refusal(404, 'not_found'),
    [`/leads/${id}/history`]: ({ url }) => inPages(histories[id], new URL(url)),
    [`/leads/${id}/notes`]: ({ url }) => inPages(notes[id] ?? [[]], new URL(url)),
  });
  const { where } = serviceWith({
    ...Object.assign({}, ...[leadId, otherId, thirdId].map(ofLead)),
    '/changes': ({ url }) => {
      // More than half of the minute that the feed is waited for passes with each answer.
      vi.setSystemTime(Date.now() + 40_000);
      queries.push(decodeURIComponent(new URL(url).search));
      if (world.isForbidden) return refusal(403, 'forbidden');
      const last_sequence = there[Math.min(asked++, there.length - 1)]!;
      const items = changes.slice(Number(new URL(url).searchParams.get('after')), last_sequence);
      return { items, last_sequence, has_more: false, feed_id: 'f' };
    },
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T09:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const file = output ? '-' : (await makeDirectory())('person.json');
  const work = () => runPerson(leadId.toUpperCase(), file, where);
  const { stdout, stderr } = await heard(work, { isTerminal: output === 'terminal' });
  const text = output ? stdout : readFileSync(file, 'utf8');
  const told = stderr.split('\n').slice(0, -1);
  return { person: JSON.parse(text), text, said: output ? '' : stdout, told, queries };
};

const created = { version: 1, type: 'lead.created' };
const simple: World = {
  leads: { [leadId]: { id: leadId } },
  histories: { [leadId]: [[created]] },
  notes: { [leadId]: [[{ id: noteId }]] },
  changes: [
    { ...created, ...{ sequence: 1, lead_id: leadId } },
    { ...created, ...{ sequence: 2, lead_id: leadId, note_id: noteId, type: 'note.created' } },
  ] as World['changes'] & object,
};
const sequencesOf = (person: { changes: { sequence: number }[] }) =>
  person.changes.map(({ sequence }) => sequence);

test('all is written: each lead that was merged with it, its history, its notes and its changes', async () => {
  const change = (sequence: number, lead_id: string, version: number, more = {}) => ({
    ...{ sequence, lead_id, version, type: 'lead.updated', ...more },
  });
  const note = { note_id: noteId, type: 'note.created' };
  const { person, said, told, queries } = await personOf({
    leads: { [leadId]: { id: leadId, contact_name: 'Ana' }, [thirdId]: { id: thirdId } },
    histories: {
      [leadId]: [[{ version: 3, merged_from: otherId }, { version: 2 }], [{ version: 1 }]],
      [otherId]: [[{ version: 2, merged_into: leadId, merged_from: thirdId }, { version: 1 }]],
      [thirdId]: [[{ version: 1, merged_into: otherId }]],
    },
    notes: { [leadId]: [[{ id: noteId, text: 'x' }, { id: strangerId }], [{ id: thirdId }]] },
    changes: [
      change(1, otherId, 1),
      change(2, leadId, 1),
      change(3, strangerId, 1),
      { sequence: 4 },
      change(5, leadId, 1, note),
      change(6, leadId, 1, { ...note, note_id: strangerId }),
      change(7, leadId, 1, { ...note, note_id: thirdId }),
      change(8, leadId, 2),
      change(9, otherId, 2),
      change(10, thirdId, 1),
      change(11, leadId, 3),
    ],
  });
  expect(person).toEqual({
    lead_id: leadId,
    organization_id: '0b861954-ed91-4e84-8458-6e46c6a6d30e',
    written_at: '2026-11-20T09:00:00.000Z',
    leads: [
      {
        lead_id: leadId,
        lead: { id: leadId, contact_name: 'Ana' },
        history: [{ version: 3, merged_from: otherId }, { version: 2 }, { version: 1 }],
        notes: [{ id: noteId, text: 'x' }, { id: strangerId }, { id: thirdId }],
      },
      {
        lead_id: otherId,
        lead: null,
        history: [{ version: 2, merged_into: leadId, merged_from: thirdId }, { version: 1 }],
        notes: [],
      },
      {
        lead_id: thirdId,
        lead: { id: thirdId },
        history: [{ version: 1, merged_into: otherId }],
        notes: [],
      },
    ],
    changes: expect.any(Array),
    missing: [],
  });
  expect(sequencesOf(person)).toEqual([1, 2, 5, 6, 7, 8, 9, 10, 11]);
  expect([said, told]).toEqual(['Leads that are this person: 3, notes: 3, changes: 9\n', []]);
  const types = ['created', 'updated', 'deleted', 'restored', 'merged', 'erased']
    .map((what) => `lead.${what}`)
    .concat(['created', 'updated', 'deleted'].map((what) => `note.${what}`));
  expect(queries).toEqual([`?after=0&limit=200${types.map((type) => `&type=${type}`).join('')}`]);
});

test('to standard output only the file is written, and a terminal gets no orders', async () => {
  const world = { ...simple, leads: { [leadId]: { id: leadId, contact_name: 'a\u009b2J' } } };
  const [piped, shown] = [await personOf(world, 'pipe'), await personOf(world, 'terminal')];
  expect(piped.text).toContain('a\u009b2J');
  expect(shown.text).toContain('a\\u009b2J');
  // What is shown is JSON all the same.
  for (const { person } of [piped, shown]) {
    expect(person.leads[0].lead.contact_name).toBe('a\u009b2J');
  }
  expect(sequencesOf((await personOf(world)).person)).toEqual([1, 2]);
});

test('a feed that follows a moment later is waited for, and each change is there once', async () => {
  const { person, told, queries } = await personOf(simple);
  expect([sequencesOf(person), person.missing, told, queries.length]).toEqual([[1, 2], [], [], 1]);
  const later = await personOf({ ...simple, there: [1, 2] });
  expect([sequencesOf(later.person), later.person.missing, later.queries.length]).toEqual([
    [1, 2],
    [],
    2,
  ]);
  expect(later.queries[1]).toMatch(/^\?after=1&/);
});

test('after a minute it is told that the last changes are missing', async () => {
  const { person, told } = await personOf({ ...simple, there: [1] });
  const missing = 'The feed does not have the last changes yet: write the file again.';
  expect([sequencesOf(person), person.missing, told]).toEqual([[1], [missing], [missing]]);
});

test('who may not read the feed is told what is missing', async () => {
  const { person, told, said } = await personOf({ ...simple, isForbidden: true });
  expect(person.missing).toEqual(told);
  expect(told).toEqual([expect.stringMatching(/^Earlier texts of notes.*\(changes:read\)\.$/)]);
  expect([sequencesOf(person), said]).toEqual([
    [],
    'Leads that are this person: 1, notes: 1, changes: 0\n',
  ]);
});

test('what fails otherwise ends it, and a lead that never was is told', async () => {
  const none = personOf({ leads: {}, histories: {} });
  await expect(none).rejects.toThrow(`There never was a lead ${leadId} in this organization.`);
  const { where } = serviceWith({ [`/leads/${leadId}/history`]: () => refusal(403, 'forbidden') });
  await expect(runPerson(leadId, undefined, where)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(runPerson('x', undefined, where)).rejects.toThrow('The lead must be a UUID.');
});
