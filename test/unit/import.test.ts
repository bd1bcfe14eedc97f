import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { batchesOf } from '../../packages/client/src/cli/batches.ts';
import { type Lead, leadsBy, withoutStage } from '../../packages/client/src/cli/columns.ts';
import { Connection } from '../../packages/client/src/cli/connection.ts';
import { fromCell } from '../../packages/client/src/cli/custom-fields.ts';
import { importAll } from '../../packages/client/src/cli/import.ts';
import { Journal } from '../../packages/client/src/cli/journal.ts';
import { Progress } from '../../packages/client/src/cli/progress.ts';
import { assertWhole, summaryText } from '../../packages/client/src/cli/report.ts';
import type { LeadFile, Row } from '../../packages/client/src/cli/rows.ts';

const created = { status: 201 };
const failed = (code: string) => ({ status: 500, error: { code, message: 'Not now.' } });

const hours = 3600_000;

/** What becomes of an import of two rows, of which the second is answered so, as often as it is asked for. */
const importing = async (
  answers: (object | Response | Error)[],
  { hoursEach = 0, isMatched = false, before = [] as object[] } = {},
) => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-import-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'leads.csv');
  await writeFile(file, 'contact_name\nAna\nRui\n');
  // Waits of no time.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  let asked = 0;
  vi.stubGlobal('fetch', async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    vi.setSystemTime(Date.now() + hoursEach * hours);
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : Response.json({ items: [created, answer] });
  });
  const where = { baseUrl: 'http://service.test/v1', organization: 'o' };
  const connection = new Connection(where, { LEADS_TOKEN: 't' });
  const leadFile = {
    format: { kind: 'csv' as const, delimiter: ',', lineEnds: ['\n'] },
    header: ['contact_name'],
  };
  const state = join(directory, 'state');
  const lines = before.map((line) => `${JSON.stringify(line)}\n`);
  if (lines.length > 0) await writeFile(state, lines.join(''));
  const journal = Journal.open(state, {} as never, isMatched);
  const toLead = () => ({ lead: {} });
  const from = { file, leadFile, toLead };
  const ended = await importAll(connection, from, {}, journal, new Progress(2)).catch(
    (error: Error) => error,
  );
  return {
    error: (ended as Error | undefined)?.message,
    done: journal.done.get(0),
    asked,
    isOpen: existsSync(state),
  };
};

test('a batch is sent again while the service can’t take some of its rows', async () => {
  const { error, done, asked } = await importing([failed('unavailable'), created]);
  expect([error, asked, done?.counts.created]).toEqual([undefined, 2, 2]);
});

test('if that does not pass, the import ends, and goes on with the batch when it is started again', async () => {
  const { error, done, isOpen } = await importing([failed('unavailable')]);
  expect(isOpen).toBe(true);
  expect(error).toMatch(/unavailable.*again/);
  expect(done).toBeUndefined();
});

test('a row that the service keeps failing at is told as refused, and holds up no other', async () => {
  const { error, done } = await importing([failed('internal')]);
  expect([error, done?.counts.created]).toEqual([undefined, 1]);
  expect(done?.refused).toMatchObject([{ line: 3, code: 'internal' }]);
});

test('an import whose sender loses the role half-way ends, and the batch stays open', async () => {
  const refusal = { error: { code: 'forbidden', message: 'You may not.', request_id: 'r' } };
  const refused = Response.json(refusal, { status: 403 });
  const { error, done, isOpen, asked } = await importing([failed('forbidden'), refused]);
  expect(error).toBe('You may not.');
  expect([done, isOpen, asked]).toEqual([undefined, true, 2]);
});

describe('a batch that was sent first a day ago, as when the machine slept', () => {
  const away = () => new Response(null, { status: 503 });

  test.each([
    ['its rows have', () => failed('unavailable')],
    ['the service has', away],
  ])('is not sent again where %s to wait: its key is forgotten', async (_, answer) => {
    const { error, done, asked } = await importing([answer(), created], { hoursEach: 24 });
    expect([error, done, asked]).toEqual([
      expect.stringMatching(/more than 24 hours/),
      undefined,
      1,
    ]);
  });

  test('is sent again within the day, counted from the first time', async () => {
    const twice = [failed('unavailable'), away(), created];
    const late = await importing(twice, { hoursEach: 12 });
    expect([late.error, late.asked]).toEqual([expect.stringMatching(/more than 24 hours/), 2]);
    const soon = await importing(twice, { hoursEach: 11 });
    expect([soon.error, soon.asked]).toEqual([undefined, 3]);
  });

  test('is sent again where rows find their leads', async () => {
    const given = { hoursEach: 24, isMatched: true };
    const { error, asked } = await importing([failed('unavailable'), created], given);
    expect([error, asked]).toEqual([undefined, 2]);
  });
});

describe('an import that ends at its first request', () => {
  const answer = (status: number) => new Response(null, { status });
  const failure = (code: string) => new TypeError('fetch failed', { cause: { code } });

  test.each<[string, object[]]>([
    ['400', [answer(400)]],
    ['401', [answer(401)]],
    ['404', [answer(404)]],
    ['no connection', [failure('ECONNREFUSED')]],
    ['no such name', [failure('ENOTFOUND')]],
  ])('with %s has stored nothing, and can begin again with other options', async (_, answers) => {
    const { error, isOpen } = await importing(answers);
    expect([error, isOpen]).toEqual([expect.any(String), false]);
  });

  test.each<[string, object[]]>([
    ['a lost answer', [failure('ECONNRESET')]],
    ['no answer in time', [new DOMException('late', 'TimeoutError')]],
    ['503', [answer(503)]],
    // Whoever is a member no more may have stored a part.
    ['403', [answer(403)]],
    ['403 after a lost answer', [failure('ECONNRESET'), answer(403)]],
    ['401 after some rows were stored', [failed('unavailable'), answer(401)]],
  ])(
    'with %s may have stored something, and goes on when it is started again',
    async (_, answers) => {
      const { error, isOpen } = await importing(answers);
      expect([error, isOpen]).toEqual([expect.any(String), true]);
    },
  );

  test('goes on also if only a run before it may have stored something', async () => {
    const start = { start: { id: 'i' } };
    const sent = { sent: 0, at: Date.now() };
    expect((await importing([answer(401)], { before: [start, sent] })).isOpen).toBe(true);
    expect((await importing([answer(401)], { before: [start] })).isOpen).toBe(false);
  });
});

test('the report is named where it has something', () => {
  const summary = { rows: 3, created: 1, updated: 1, unchanged: 1, refused: 0 };
  const line = '3 rows, 1 created, 1 updated, 1 unchanged, 0 refused';
  expect(summaryText(summary, 'r.csv', false)).toBe(line);
  expect(summaryText(summary, 'r.csv', true)).toBe(`${line} (nothing was stored)`);
  const refused = { ...summary, rows: 4, refused: 1 };
  expect(summaryText(refused, 'r.csv', false)).toMatch(
    /1 refused\nWhat was refused is in r\.csv\.$/,
  );
});

test('an import fails whose rows were others when they were sent', () => {
  const summary = { rows: 4, created: 1, updated: 1, unchanged: 1, refused: 1 };
  expect(() => assertWhole(summary)).not.toThrow();
  for (const rows of [3, 5]) {
    expect(() => assertWhole({ ...summary, rows })).toThrow(`had ${rows} rows at first, and 4`);
  }
});

describe('without --match, a stage', () => {
  const csv = (header: string[]) => ({
    format: { kind: 'csv' as const, delimiter: ',', lineEnds: ['\n'] },
    header,
  });
  const json = { format: { kind: 'ndjson' as const }, header: [] };
  const problems = new Map<string, string>();
  const read = (leadFile: LeadFile, content: Row['content'], map: [string, string][] = []) => {
    const mapping = new Map(map);
    return withoutStage(leadsBy(leadFile, mapping), leadFile, mapping)({ line: 7, content });
  };

  test.each<[string, string, () => unknown]>([
    ['CSV', 'Stage', () => read(csv(['Stage']), { cells: ['won'] })],
    ['a column', 'State', () => read(csv(['State']), { cells: ['won'] }, [['State', 'stage']])],
    ['NDJSON', 'stage', () => read(json, { value: { stage: null }, problems })],
    [
      'a name',
      'State',
      () => read(json, { value: { State: 'won' }, problems }, [['State', 'stage']]),
    ],
  ])('of %s ends the import, and it says how to leave it out', (_, column, made) => {
    expect(made).toThrow(`Line 7 has a stage, which needs --match`);
    expect(made).toThrow(`with --map '${column}='.`);
  });

  test.each([
    ['is empty', read(csv(['email', 'stage']), { cells: ['a', ''] })],
    ['is left out', read(csv(['email', 'Stage']), { cells: ['a', 'b'] }, [['Stage', '']])],
    ['is not there', read(json, { value: { email: 'a' }, problems })],
  ])('that %s is none', (_, made) => {
    expect(made).toEqual({ lead: { email: 'a' } });
  });
});

test('full leads make a batch shorter: a request has at most 50,000 names and values', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-import-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'leads.ndjson');
  // With the lead itself, its list, two names and a text, a line has n + 6 of them.
  const line = (n: number) => `{"tags":[${'1,'.repeat(n)}1],"a":"\\",:[{"}\n`;
  const sizes = [23_993, 24_980, 23_994, ...Array.from({ length: 101 }, () => 1)];
  await writeFile(file, sizes.map(line).join(''));
  const leadFile = { format: { kind: 'ndjson' as const }, header: [] };
  const toLead = ({ content }: Row) => ({ lead: (content as { value: Lead }).value });
  const batches: [number, number][] = [];
  for await (const { batch, leads } of batchesOf(file, leadFile, toLead)) {
    batches.push([batch, leads.length]);
  }
  expect(batches).toEqual([
    [0, 2],
    [1, 1],
    [2, 100],
    [3, 1],
  ]);
});

test.each([
  ['7', 7],
  [' -0.50 ', -0.5],
  ['+1e3', 1000],
  ['123456789.123456', 123456789.123456],
  ['007', 7],
  ['0.30000000000000004', 0.30000000000000004],
  ['1e22', 1e22],
])('a cell %j is the number %d', (cell, number) => {
  expect(fromCell('number', cell)).toBe(number);
});

test.each(['', 'seven', '0x10', '1,5', '1e999'])(
  'a cell %j stays as it is: the service refuses it',
  (cell) => {
    expect(fromCell('number', cell)).toBe(cell);
  },
);
