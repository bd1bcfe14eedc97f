import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runPerson } from '../../../packages/client/src/cli/person.ts';
import { makeDirectory } from './support.ts';

const leadId = crypto.randomUUID();
const noteId = crypto.randomUUID();

/** The file of a person with one note, while the feed answers these numbers of its two changes, one after the other. */
const personOf = async (...answers: number[]) => {
  const path = await makeDirectory();
  const changes = [
    { sequence: 1, type: 'lead.created', lead_id: leadId, version: 1 },
    { sequence: 2, type: 'note.created', lead_id: leadId, note_id: noteId, version: 1, text: 'x' },
  ];
  let asked = 0;
  const bodyOf = (url: URL): object => {
    if (url.pathname.endsWith('/history')) {
      return { items: [{ version: 1, type: 'lead.created' }], next_cursor: null };
    }
    if (url.pathname.endsWith('/notes')) return { items: [{ id: noteId }], next_cursor: null };
    if (!url.pathname.endsWith('/changes')) return { id: leadId };
    const there = answers[Math.min(asked++, answers.length - 1)]!;
    const after = Number(url.searchParams.get('after'));
    const items = changes.slice(after, there);
    return { items, last_sequence: there, has_more: false, feed_id: 'f' };
  };
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    // A minute passes with each answer of the feed.
    if (url.includes('/changes')) vi.setSystemTime(Date.now() + 40_000);
    return Response.json(bodyOf(new URL(url)));
  });
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubEnv('LEADS_TOKEN', 't');
  vi.spyOn(console, 'log').mockReturnValue();
  const told = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  const where = { baseUrl: 'http://service.test/v1', organization: crypto.randomUUID() };
  await runPerson(leadId, path('person.json'), where);
  const person = JSON.parse(readFileSync(path('person.json'), 'utf8'));
  const sequences = person.changes.map(({ sequence }: { sequence: number }) => sequence);
  return { sequences, missing: person.missing.length, told: told.mock.calls.length };
};

test('a feed that follows a moment later is waited for, and each change is there once', async () => {
  expect(await personOf(2)).toEqual({ sequences: [1, 2], missing: 0, told: 0 });
  expect(await personOf(1, 2)).toEqual({ sequences: [1, 2], missing: 0, told: 0 });
});

test('after a minute it is told that the last changes are missing', async () => {
  expect(await personOf(1)).toEqual({ sequences: [1], missing: 1, told: 1 });
});
