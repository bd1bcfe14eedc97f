import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { runAudit } from '../../../packages/client/src/cli/audit.ts';
import { writeRows } from '../../../packages/client/src/cli/dry-run-text.ts';
import { runExport } from '../../../packages/client/src/cli/export.ts';
import { fields } from '../../../packages/client/src/cli/fields.ts';
import { textOfCell } from '../../../packages/client/src/cli/formulas.ts';
import { writeReport } from '../../../packages/client/src/cli/report.ts';
import { makeDirectory, printed, serviceWith } from './support.ts';

// Each file that a spreadsheet may open: what it would run stands in none. Which text that is: formulas.test.ts.

const formulas = ['=1+1', '+1+1', '-1+1', '@SUM(1)', '\t=1', '＝1', ' =1', "'=1", 'a;=1+1', '"=1'];

const cellsOf = (csv: string): string[][] => parse(csv, { bom: true, relax_column_count: true });

/** The cells of a column, below its name. */
const columnOf = (csv: string, name: string): string[] => {
  const [header = [], ...rows] = cellsOf(csv);
  return rows.map((cells) => cells[header.indexOf(name)] ?? '');
};

const expectGuarded = (cells: readonly string[], texts: readonly string[]): void => {
  expect(cells.map(textOfCell)).toEqual(texts);
  for (const [i, cell] of cells.entries()) expect(cell).not.toBe(texts[i]);
};

test('an export guards each text of a lead, and leaves numbers and times as they are', async () => {
  const texts = [...fields.filter((one) => !['tags', 'value_cents'].includes(one)), 'f', 's'];
  const at = '2026-11-20T09:00:00.000Z';
  const times = { stage_entered_at: at, created_at: at, updated_at: at };
  const leads = formulas.map((text, i) => ({
    ...Object.fromEntries(texts.map((name) => [name, text])),
    ...{ id: `id-${i}`, tags: [text], value_cents: -5, ...times },
    fields: { f: text, s: text, m: [text], n: -1.5, b: false },
  }));
  const { where } = serviceWith({
    '/leads': { items: leads, next_cursor: null },
    '/fields': { items: ['f', 's', 'm', 'n', 'b'].map((key) => ({ key, type: 'text' })) },
  });
  const path = await makeDirectory();
  const said = await printed(() =>
    runExport(path('all.csv'), { format: 'csv', bom: true, ...where }),
  );
  expect(said).toBe(`${formulas.length} leads\n`);
  const csv = await readFile(path('all.csv'), 'utf8');
  for (const name of texts) {
    expectGuarded(columnOf(csv, ['f', 's'].includes(name) ? `fields.${name}` : name), formulas);
  }
  for (const name of ['tags', 'fields.m']) {
    const cells = columnOf(csv, name).map(textOfCell);
    // Some are in JSON, since a tag has the sign between tags.
    expect(cells.map((cell) => (cell.startsWith('[') ? JSON.parse(cell)[0] : cell))).toEqual(
      formulas,
    );
    expect(columnOf(csv, name)[0]).toBe("'=1+1");
  }
  expect(new Set(columnOf(csv, 'value_cents'))).toEqual(new Set(['-5']));
  expect(new Set(columnOf(csv, 'fields.n'))).toEqual(new Set(['-1.5']));
  expect(new Set(columnOf(csv, 'fields.b'))).toEqual(new Set(['false']));
  expect(new Set(columnOf(csv, 'created_at'))).toEqual(new Set([at]));
  // Lines of JSON are for programs.
  await printed(() => runExport(path('all.ndjson'), { format: 'ndjson', bom: true, ...where }));
  const [first = ''] = (await readFile(path('all.ndjson'), 'utf8')).split('\n');
  expect(JSON.parse(first)).toMatchObject({ contact_name: '=1+1', tags: ['=1+1'] });
});

test('an audit guards names and what was changed, and leaves numbers as they are', async () => {
  const changes = formulas.map((user_name, i) => ({
    ...{ sequence: i + 1, type: 'member.updated', at: '2026-11-20T09:00:00.000Z' },
    ...{ user_name, user_id: user_name, request_id: user_name, member_id: user_name },
  }));
  const page = { items: changes, last_sequence: 99, has_more: false, feed_id: 'f' };
  const { where } = serviceWith({ '/changes': page });
  const options = { from: '2026-11-20', format: 'csv', bom: false, ...where } as const;
  const csv = await printed(() => runAudit(options));
  for (const name of ['user_name', 'user_id', 'request_id', 'of'])
    expectGuarded(columnOf(csv, name), formulas);
  expect(columnOf(csv, 'sequence').slice(0, 2)).toEqual(['1', '2']);
  const json = await printed(() => runAudit({ ...options, format: 'ndjson' }));
  expect(JSON.parse(json.split('\n')[0]!)).toMatchObject({ user_name: '=1+1' });
});

test('a report guards what it quotes of the file', async () => {
  const path = await makeDirectory();
  const refused = formulas.map((text, i) => ({ line: i, code: 'c', field: text, message: text }));
  const counts = { created: 0, updated: 0, unchanged: 0 };
  writeReport(path('report.csv'), [{ batch: 0, counts, refused }]);
  const csv = await readFile(path('report.csv'), 'utf8');
  for (const name of ['field', 'message']) expectGuarded(columnOf(csv, name), formulas);
});

test('the rows of a dry run guard who they are of, and what is told of them', async () => {
  const path = await makeDirectory();
  const rows = formulas.map((name, line) => ({ line, outcome: 'refused' as const, name }));
  const refused = formulas.map((message, line) => ({ line, code: 'c', field: '', message }));
  const counts = { created: 0, updated: 0, unchanged: 0 };
  writeRows(path('rows.csv'), [{ batch: 0, counts, refused, rows }]);
  const csv = await readFile(path('rows.csv'), 'utf8');
  expectGuarded(columnOf(csv, 'lead'), formulas);
  expectGuarded(
    columnOf(csv, 'told'),
    formulas.map((text) => text.trim()),
  );
});
