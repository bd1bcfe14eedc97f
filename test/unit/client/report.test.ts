import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Done } from '../../../packages/client/src/cli/journal.ts';
import {
  assertSameRows,
  countLeftOut,
  summaryOf,
  summaryText,
  writeReport,
} from '../../../packages/client/src/cli/report.ts';
import { makeDirectory } from './support.ts';

const counts = { created: 1, updated: 1, unchanged: 1 };

const told = (line: number, code: string) => ({ line, code, field: 'f', message: `m${line}` });
const batches: Done[] = [
  {
    batch: 1,
    counts: { created: 1, updated: 2, unchanged: 3 },
    refused: [told(9, 'b'), told(9, 'c')],
    leftOut: [told(7, 'left_out'), told(7, 'left_out')],
  },
  { batch: 0, counts: { created: 4, updated: 5, unchanged: 6 }, refused: [told(2, 'a')] },
];

test('the report has all that was refused and left out, by lines, whichever batch ended first', async () => {
  const file = (await makeDirectory())('report.csv');
  for (const all of [batches, batches.toReversed()]) {
    writeReport(file, all);
    expect(readFileSync(file, 'utf8')).toBe(
      'line,code,field,message\n2,a,f,m2\n7,left_out,f,m7\n7,left_out,f,m7\n9,b,f,m9\n9,c,f,m9\n',
    );
  }
});

test('rows are counted by what became of them: one that is refused for two reasons once', () => {
  expect(summaryOf(21, batches)).toEqual({
    ...{ rows: 21, created: 5, updated: 7, unchanged: 9, refused: 2 },
  });
  expect(summaryOf(0, [])).toEqual({ rows: 0, created: 0, updated: 0, unchanged: 0, refused: 0 });
  expect([countLeftOut(batches), countLeftOut([])]).toEqual([2, 0]);
});

test.each([
  [
    0,
    1,
    false,
    '1 value was left out or cut in rows that are in.\nWhat was left out or cut is in r.csv.',
  ],
  [
    0,
    2,
    true,
    '2 values were left out or cut in rows that would come in.\nWhat was left out or cut is in r.csv.',
  ],
  [1, 0, false, 'What was refused is in r.csv.'],
  [
    1,
    3,
    false,
    '3 values were left out or cut in rows that are in.\nWhat was refused, left out or cut is in r.csv.',
  ],
])(
  'with %i refused and %i left out, it is told where they are',
  (refused, leftOut, isDry, text) => {
    const summary = { rows: 3 + refused, ...counts, refused };
    const [, ...lines] = summaryText(summary, 'r.csv', isDry, leftOut).split('\n');
    expect(lines.join('\n')).toBe(text);
  },
);

test('the report is named where it has something', () => {
  const summary = { rows: 3, ...counts, refused: 0 };
  const line = '3 rows, 1 created, 1 updated, 1 unchanged, 0 refused';
  expect(summaryText(summary, 'r.csv', false)).toBe(line);
  expect(summaryText(summary, 'r.csv', true)).toBe(`${line} (nothing was stored)`);
  const refused = summaryText({ rows: 4, ...counts, refused: 1 }, 'r.csv', false);
  expect(refused).toMatch(/1 refused\nWhat was refused is in r\.csv\.$/);
});

test('an import fails whose rows were others when they were sent', () => {
  const summary = { rows: 4, ...counts, refused: 1 };
  expect(() => assertSameRows(summary)).not.toThrow();
  for (const rows of [3, 5]) {
    expect(() => assertSameRows({ ...summary, rows })).toThrow(`had ${rows} rows at first, and 4`);
  }
});
