import { expect, test } from 'vitest';
import { readAmount } from '../../../../packages/client/src/cli/values/amounts.ts';
import { decimalsOf, means } from '../../../../packages/client/src/cli/values/currencies.ts';

const read = (text: string, currency: string, country?: string) => {
  const amount = readAmount(text, { currency, country });
  return 'cents' in amount ? amount.cents : amount.why;
};

test.each<[string, string, string | undefined, number]>([
  ['1250', 'BRL', undefined, 125_000],
  ['1250.5', 'BRL', undefined, 125_050],
  ['12,5', 'BRL', undefined, 1250],
  ['1,250.00', 'BRL', undefined, 125_000],
  ['R$ 1.250,00', 'BRL', undefined, 125_000],
  ['1 234,50 €', 'EUR', undefined, 123_450],
  ["CHF 1'234.50", 'CHF', undefined, 123_450],
  ['1,234,567', 'BRL', undefined, 123_456_700],
  ['₹12,34,567.50', 'INR', undefined, 123_456_750],
  ['0', 'BRL', undefined, 0],
  ['-0,00', 'BRL', undefined, 0],
  // A sign may stand before thousands or decimals: the country says which.
  ['1.250', 'BRL', 'BR', 125_000],
  ['1,250', 'USD', 'US', 125_000],
  // Databases leave out the 0. After a word, a point ends it.
  ['.50', 'USD', undefined, 50],
  ['+,5', 'BRL', undefined, 50],
  ['Rs.50', 'INR', undefined, 5000],
  ['kr. 50', 'DKK', undefined, 5000],
  // Each currency has its own smallest unit.
  ['¥125,000', 'JPY', 'JP', 125_000],
  ['125000.00', 'JPY', undefined, 125_000],
  ['￥1250', 'JPY', undefined, 1250],
  ['KWD 1.250,500', 'KWD', undefined, 1_250_500],
  ['12.5', 'KWD', undefined, 12_500],
  ['1.250', 'KWD', 'US', 1250],
  ['Ft 1500', 'HUF', undefined, 150_000],
  ['Rp 1.500.000', 'IDR', undefined, 150_000_000],
  ['10,0001', 'CLF', undefined, 100_001],
  // Its sign or its code, before or after, in any case.
  ['brl 100', 'BRL', undefined, 10_000],
  ['100BRL', 'BRL', undefined, 10_000],
  ['$100.00 USD', 'USD', undefined, 10_000],
  ['US$ 100', 'USD', undefined, 10_000],
  ['$100', 'MXN', undefined, 10_000],
  ['100 kr.', 'DKK', undefined, 10_000],
  ['90071992547409.91', 'BRL', undefined, Number.MAX_SAFE_INTEGER],
])('%j of %s, as in %s, is %i of its smallest unit', (text, currency, country, cents) => {
  expect(read(text, currency, country)).toBe(cents);
});

test.each<[string, string, string]>([
  ['€100', 'BRL', 'is not in BRL'],
  ['100 JPY', 'BRL', 'is not in BRL'],
  ['$100', 'BRL', 'is not in BRL'],
  ['US$ 100', 'MXN', 'is not in MXN'],
  ['R$ 100 USD', 'BRL', 'is not in BRL'],
  ['5k', 'BRL', 'is no amount in figures'],
  // K is the sign of Zambia’s kwacha, and thousands all the same.
  ['5k', 'ZMW', 'is no amount in figures'],
  ['2 mil', 'BRL', 'is no amount in figures'],
  ['1.5M', 'BRL', 'is no amount in figures'],
  ['1,5 mi', 'BRL', 'is no amount in figures'],
  ['3 lakh', 'INR', 'is no amount in figures'],
  ['100 reais', 'BRL', 'is no amount in figures'],
  ['50%', 'BRL', 'is no amount in figures'],
  ['(100)', 'BRL', 'is no amount in figures'],
  ['1.250', 'BRL', 'may be two: --country'],
  ['1.250', 'KWD', 'may be two: --country'],
  ['$.50', 'USD', 'may be two'],
  ['R$ ,50', 'BRL', 'may be two'],
  ['BRL.50', 'BRL', 'may be two'],
  ['-.50', 'BRL', 'is below 0'],
  ['0.100,00', 'BRL', 'may be two'],
  ['1000 a 2000', 'BRL', 'is no amount'],
  ['12 34', 'BRL', 'is no amount'],
  ['1.25.00', 'BRL', 'is no amount'],
  ['1.234,567.89', 'BRL', 'is no amount'],
  ['1E+05', 'BRL', 'is no amount'],
  ['none', 'BRL', 'is no amount'],
  ['-5', 'BRL', 'is below 0'],
  ['R$ -5,00', 'BRL', 'is below 0'],
  ['1.255', 'USD', 'may be two'],
  ['12.345,678', 'BRL', 'has more decimals than BRL'],
  ['0.5', 'JPY', 'has more decimals than JPY'],
  ['0,0001', 'KWD', 'has more decimals than KWD'],
  ['90071992547409.92', 'BRL', 'is too large'],
  ['99999999999999999', 'BRL', 'is too large'],
])('%j of %s %s', (text, currency, why) => {
  expect(read(text, currency)).toContain(why);
});

test.each([
  ['2,500', 'BRL', 'BR'],
  ['2,000', 'BRL', 'BR'],
  ['1.250', 'USD', 'US'],
  ['1.000', 'JPY', 'JP'],
])(
  '%j of %s in %s may be thousands: nobody writes three decimals of it',
  (text, currency, country) => {
    expect(read(text, currency, country)).toContain('may be two');
    expect(read(`1${text}`, 'KWD', country)).toBeTypeOf('number');
  },
);

test('three decimals after a point may be thousands where people write those so', () => {
  expect(read('1.250', 'TND', 'TN')).toContain('may be two');
  expect(read('1,250', 'TND', 'TN')).toBe(1250);
  expect(read('1.250', 'EUR', 'DE')).toBe(125_000);
});

test('the decimals are those of ISO 4217, and not those that prices have in shops', () => {
  const all = ['EUR', 'HUF', 'IDR', 'COP', 'JPY', 'CLP', 'KWD', 'TND', 'CLF'];
  expect(all.map(decimalsOf)).toEqual([2, 2, 2, 2, 0, 0, 3, 3, 4]);
});

test('a cell of a column of currencies means its own alone', () => {
  const of = (cell: string) => means(cell, 'BRL');
  expect(['BRL', 'brl', 'R$', 'BRL - Brazilian Real', 'Brazilian Real (BRL)'].every(of)).toBe(true);
  expect(['USD', '$', 'EUR', 'BRLX', 'real'].some(of)).toBe(false);
});
