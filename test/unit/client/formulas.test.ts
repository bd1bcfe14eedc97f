import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOfCell, withoutFormula } from '../../../packages/client/src/cli/formulas.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['\t=1', "'\t'=1"],
  ['＝1', "'＝1"],
  ["'=1", "''=1"],
  [' =1', "' =1"],
  // Programs that split at a semicolon or a tab don’t see the quotation marks of a cell.
  ['a;=1+1', "a;'=1+1"],
  ['a;"=1', 'a;\'"=1'],
  ['a\n@b;=c', "a\n'@b;'=c"],
  ["a;'=1", "a;''=1"],
  // None that a spreadsheet runs.
  ['+5511987654321', '+5511987654321'],
  ['-1.5', '-1.5'],
  ['a=1', 'a=1'],
  ['a\n\nb', 'a\n\nb'],
  ["'s-Hertogenbosch", "'s-Hertogenbosch"],
  ['', ''],
])('the text %j is the cell %j of an export, and the same text in an import', (text, cell) => {
  expect([withoutFormula(text), textOfCell(cell)]).toEqual([cell, text]);
});

const texts = fc.string({ unit: fc.constantFrom(...'=+-@;\t\n\r"\' ,a1＝'), maxLength: 12 });

test('any text comes back as it was', () => {
  fc.assert(fc.property(texts, (text) => textOfCell(withoutFormula(text)) === text));
});

/** The cells as a program sees them that splits a CSV text at this. */
const cellsOf = (csv: string, delimiter: string): string[] =>
  parse(csv, { delimiter, relax_quotes: true, relax_column_count: true }).flat();
const isFormula = (cell: string) => /^["\s]*[=+\-@＝]/.test(cell) && !/^[+-]?\d+$/.test(cell);
const csvOf = (cells: string[]) => stringify([['id', ...cells, 'end']]);

test('at whatever a spreadsheet splits, no cell of it is a formula', () => {
  expect(cellsOf(csvOf(['a;=1+1,b']), ';').filter(isFormula)).toEqual(['=1+1,b",end']);
  let parsed = 0;
  const rows = fc.array(texts, { minLength: 1, maxLength: 3 });
  const property = fc.property(rows, fc.constantFrom(',', ';', '\t'), (cells, delimiter) => {
    let seen: string[];
    try {
      seen = cellsOf(csvOf(cells.map(withoutFormula)), delimiter);
    } catch {
      return; // Split so, it is no CSV at all.
    }
    parsed++;
    expect(seen.filter(isFormula)).toEqual([]);
  });
  fc.assert(property, { numRuns: 2_000 });
  expect(parsed).toBeGreaterThan(1_000);
});
