import { expect, test } from 'vitest';
import {
  countryOfPrograms,
  exactNumber,
  readDecimal,
  readNumber,
} from '../../../../packages/client/src/cli/values/numbers.ts';

test.each<[string, string | undefined]>([
  ['1250', '1250'],
  ['-1 250,5', '-1250.5'],
  ['−1,250.00', '-1250.00'],
  ['+5', '5'],
  ["1'250'000", '1250000'],
  ['12,34,567', '1234567'],
  ['1.250.000', '1250000'],
  ['0.125', '0.125'],
  ['1250.', '1250'],
  ['-.5', '-0.5'],
  [',50', '0.50'],
  ['.', undefined],
  ['0.250.000', undefined],
  ['1.250', undefined],
  ['1 250.000,5', undefined],
  ['12 34', undefined],
  ['1,2,3', undefined],
  ['1.2.2024', undefined],
  ['5k', undefined],
  ['', undefined],
])('%j is %s', (cell, decimal) => {
  expect(readDecimal(cell)).toBe(decimal);
});

test.each([
  ['7', 7],
  ['007', 7],
  ['-0.50', -0.5],
  ['0.30000000000000004', 0.30000000000000004],
  ['1.00', 1],
  ['0.000', 0],
  ['1e22', 1e22],
  ['-0', -0],
  ['120212345678901234', undefined],
  ['123456789012345.678901', undefined],
  ['0.1000000000000000001', undefined],
  ['120212345678901234e15', undefined],
  ['1e-400', undefined],
  ['1e999', undefined],
])('%j is kept as %s', (text, value) => {
  expect(exactNumber(text)).toBe(value);
});

test('of what a program may have written, the country says nothing where people write another sign', () => {
  const read = (country?: string) => readDecimal('1.250', countryOfPrograms(country));
  expect(['US', 'KW', 'BR', 'TN', undefined].map(read)).toEqual([
    ...['1.250', '1.250'],
    ...[undefined, undefined, undefined],
  ]);
  expect(readDecimal('1.250', 'BR')).toBe('1250');
});

test.each(['CA', 'CH', 'LI', 'NA', 'ZA'])(
  'in %s, a comma may stand before thousands or decimals, and a point before decimals',
  (country) => {
    const cells = ['1,250', '1.250', '-1.250', '1,250.5', '1 250,5', '1,250,000', '1,25', '1250'];
    expect(cells.map((cell) => readNumber(cell, country))).toEqual([
      ...[undefined, '1.250', '-1.250', '1250.5', '1250.5', '1250000', '1.25', '1250'],
    ]);
  },
);

test('elsewhere, one sign is before thousands, and the other before decimals', () => {
  const read = (country: string) => ['1,250', '1.250'].map((cell) => readNumber(cell, country));
  expect([read('US'), read('BR')]).toEqual([
    ['1250', '1.250'],
    ['1.250', '1250'],
  ]);
});
