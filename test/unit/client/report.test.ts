import { expect, test } from 'vitest';
import { assertWhole, summaryText } from '../../../packages/client/src/cli/report.ts';

const counts = { created: 1, updated: 1, unchanged: 1 };

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
  expect(() => assertWhole(summary)).not.toThrow();
  for (const rows of [3, 5]) {
    expect(() => assertWhole({ ...summary, rows })).toThrow(`had ${rows} rows at first, and 4`);
  }
});
