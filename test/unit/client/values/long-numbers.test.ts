import { expect, test } from 'vitest';
import { LongNumbers } from '../../../../packages/client/src/cli/values/long-numbers.ts';

/** The cells of a column that have lost digits. */
const lostOf = (...cells: string[]): string[] => {
  const all = new LongNumbers();
  for (const cell of cells) all.add(0, cell);
  return cells.filter((cell) => all.lossOf(0, cell) !== undefined);
};

test.each([
  '1234567890123450',
  '1234567890123450000',
  '-1234567890123450000',
  '+1234567890123450000',
  ' 1234567890123450000\u00a0',
  '1234567890123450000.00',
  '1234567890123450000,0',
  '1,234,567,890,123,450,000',
  '1.234.567.890.123.450.000,00',
  '1 234 567 890 123 450 000',
  '1’234’567’890’123’450’000',
  '12,34,56,78,90,12,34,50,000',
  '0001234567890123450000',
  '123456789012345000000000000000',
  // As a program writes 1234567890123456789.
  '1234567890123456800',
])('alone in its column, %j has lost digits', (cell) => {
  expect(lostOf('7', cell, '', 'x')).toEqual([cell]);
  // The column has a number with all digits, which no spreadsheet writes.
  expect(lostOf(cell, '1234567890123456789')).toEqual([]);
});

test.each([
  '123456789012345',
  '100000000000000',
  '-123456789012340',
  '1234567890123456',
  '12345678901234560',
  '1234567890123456789',
  // Leading zeros are no digits of a number.
  '00000123456789012340',
  "'1234567890123450000",
  '="1234567890123450000"',
  'zcrm_1234567890123450000',
  '1234567890123450000A',
  '1234 5678 9012 3450',
  '1234567890123450.5',
  '1.234567890123450',
])('alone in its column, %j has all of its digits', (cell) => {
  expect(lostOf('7', cell, '')).toEqual([]);
});

test('each column is judged by itself, and only numbers that are longer than what is kept have lost digits', () => {
  const all = new LongNumbers();
  all.add(0, '1234567890123456789');
  all.add(1, '1234567890123450000');
  expect(all.lossOf(0, '1234567890123450000')).toBeUndefined();
  expect(all.lossOf(1, '1234567890123450000')).toBe(
    'seems shortened by a spreadsheet: it has only zeros after its 15th digit. If it is right, --values says so',
  );
  // A program keeps these 17 digits, and spreadsheets would not.
  const cells = ['12345678901234567', '1234567890123450', '1234567890123456800'];
  expect(lostOf(...cells)).toEqual(['1234567890123456800']);
});
