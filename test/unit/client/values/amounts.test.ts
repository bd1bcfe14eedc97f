import { expect, test } from 'vitest';
import { readCents } from '../../../../packages/client/src/cli/values/amounts.ts';

test.each<[string, string | undefined, number | undefined]>([
  ['1250', undefined, 125_000],
  ['1250.5', undefined, 125_050],
  ['12,5', undefined, 1250],
  ['1,250.00', undefined, 125_000],
  ['R$ 1.250,00', undefined, 125_000],
  ['1 234,50 €', undefined, 123_450],
  ["1'234.50", undefined, 123_450],
  ['1,234,567', undefined, 123_456_700],
  ['0', undefined, 0],
  // The sign may stand before thousands or decimals.
  ['1.250', undefined, undefined],
  ['1.250', 'BR', 125_000],
  ['1.250', 'US', 125],
  ['1.255', 'US', undefined],
  ['1,250', 'US', 125_000],
  ['-5', undefined, undefined],
  ['12.345,678', undefined, undefined],
  ['none', undefined, undefined],
  ['99999999999999999', undefined, undefined],
])('%j of %s is %s cents', (text, country, cents) => {
  expect(readCents(text, country)).toBe(cents);
});
