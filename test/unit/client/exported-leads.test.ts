import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runExport } from '../../../packages/client/src/cli/export.ts';
import { fields } from '../../../packages/client/src/cli/fields.ts';
import { makeDirectory, printed, serviceWith } from './support.ts';

// What an export reads and writes. Into what it writes: export.test.ts. By a real service: test/tools/client/export.test.ts.

const at = '2026-11-20T09:00:00.000Z';
const times = { stage_entered_at: at, created_at: at, updated_at: at };
const leadOf = (given: object) => ({
  ...Object.fromEntries(fields.map((name) => [name, null])),
  ...{ id: 'l', contact_name: 'Ana', pipeline_id: 'p', stage: 'new', tags: [], fields: {} },
  ...{ ...times, ...given },
});
const full = leadOf({
  ...{ id: 'm', contact_name: 'Rui, Lda', tags: ['a', 'b;c'], value_cents: 0 },
  fields: { note: 'n', size: 1.5, isNew: false, colors: ['x', 'y'] },
});
const custom = ['note', 'size', 'isNew', 'colors'];

/** An export of these pages, and what was asked for it. */
const exporting = async (name: string | undefined, options: object, query = {}) => {
  const asked: string[] = [];
  const { where } = serviceWith({
    '/fields': ({ url }) => {
      asked.push(new URL(url).pathname);
      return { items: custom.map((key) => ({ key, type: 'text' })) };
    },
    '/leads': ({ url }) => {
      asked.push(decodeURIComponent(new URL(url).search));
      return asked.some((one) => one.includes('cursor'))
        ? { items: [full], next_cursor: null }
        : { items: [leadOf({})], next_cursor: 'c' };
    },
  });
  const given = { format: 'csv', bom: true, ...where, ...options } as const;
  const said = await printed(() => runExport(name, given, query));
  return { said, asked };
};

const columns = ['id', ...fields, ...custom.map((key) => `fields.${key}`), ...Object.keys(times)];
const rowOf = (cells: Record<string, string>): string =>
  columns.map((column) => cells[column] ?? '').join(',');
const cells = { pipeline_id: 'p', stage: 'new', ...times };
const csv = [
  columns.join(','),
  rowOf({ id: 'l', contact_name: 'Ana', ...cells }),
  rowOf({
    ...{ id: 'm', contact_name: '"Rui, Lda"', tags: '"[""a"",""b;c""]"', value_cents: '0' },
    ...{ 'fields.note': 'n', 'fields.size': '1.5', 'fields.isNew': 'false' },
    ...{ 'fields.colors': 'x;y', ...cells },
  }),
  '',
].join('\n');
const ndjson = [
  { id: 'l', contact_name: 'Ana', pipeline_id: 'p', stage: 'new', tags: [], ...times },
  {
    ...{ id: 'm', contact_name: 'Rui, Lda', pipeline_id: 'p', stage: 'new' },
    ...{ tags: ['a', 'b;c'], value_cents: 0, fields: full.fields, ...times },
  },
]
  .map((lead) => `${JSON.stringify(lead)}\n`)
  .join('');

test('a file of CSV has a column for each field, and all pages of the list that is asked for', async () => {
  const path = await makeDirectory();
  const query = { stage: 'new', sort: '-value_cents', tag: ['a', 'b'] };
  const { said, asked } = await exporting(path('all.csv'), {}, query);
  expect(said).toBe('2 leads\n');
  expect(asked).toEqual([
    '/v1/fields',
    '?stage=new&sort=-value_cents&tag=a&tag=b&limit=200',
    '?stage=new&sort=-value_cents&tag=a&tag=b&limit=200&cursor=c',
  ]);
  expect(readFileSync(path('all.csv'), 'utf8')).toBe(`\ufeff${csv}`);
  await exporting(path('bare.csv'), { bom: false });
  expect(readFileSync(path('bare.csv'), 'utf8')).toBe(csv);
});

test('a file that is there is kept before anything is asked for, unless it is to be replaced', async () => {
  const file = (await makeDirectory())('all.csv');
  writeFileSync(file, 'old');
  const { where, asked } = serviceWith({});
  const kept = runExport(file, { format: 'csv', ...where });
  await expect(kept).rejects.toThrow(
    `${file} is there already, and is kept. Name another file, or say --force.`,
  );
  expect([asked, readFileSync(file, 'utf8')]).toEqual([[], 'old']);
  await exporting(file, { force: true });
  expect(readFileSync(file, 'utf8')).toBe(`\ufeff${csv}`);
});

test('a line of NDJSON is a lead without what is null, and asks for no custom fields', async () => {
  const file = (await makeDirectory())('all.ndjson');
  const { said, asked } = await exporting(file, { format: 'ndjson' });
  expect([said, asked]).toEqual(['2 leads\n', ['?limit=200', '?limit=200&cursor=c']]);
  expect(readFileSync(file, 'utf8')).toBe(ndjson);
});

test('to standard output, only leads are written', async () => {
  expect((await exporting('-', {})).said).toBe(`\ufeff${csv}`);
  expect((await exporting(undefined, { bom: false })).said).toBe(csv);
  expect((await exporting('-', { format: 'ndjson' })).said).toBe(ndjson);
});

test('into a device, it says nothing of how many there are', { tags: ['posix'] }, async () => {
  expect((await exporting('/dev/null', {})).said).toBe('');
});

test('a terminal gets no orders that a lead has; a file or another program gets it as it is', async () => {
  const orders = leadOf({ contact_name: 'a\u001b[2J\u009b2Jb' });
  const page = { items: [orders], next_cursor: null };
  const { where } = serviceWith({ '/leads': page, '/fields': { items: [] } });
  const shown = (format: 'csv' | 'ndjson', isTerminal: boolean) =>
    printed(() => runExport('-', { format, bom: false, ...where }), { isTerminal });
  expect(await shown('csv', false)).toContain('a\u001b[2J\u009b2Jb');
  expect(await shown('ndjson', false)).toContain('a\\u001b[2J\u009b2Jb');
  for (const format of ['csv', 'ndjson'] as const) {
    const text = await shown(format, true);
    expect(text).toContain('a\\u001b[2J\\u009b2Jb');
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  }
  const file = (await makeDirectory())('all.ndjson');
  await printed(() => runExport(file, { format: 'ndjson', ...where }));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    contact_name: 'a\u001b[2J\u009b2Jb',
  });
});
