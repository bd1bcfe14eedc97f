import { expect, test } from 'vitest';
import { readPhone } from '../../../../packages/client/src/cli/values/phones.ts';

const read = (text: string, country?: string) => {
  const { phone, rest } = readPhone([text], country);
  return [phone, ...rest.map((one) => one.text)];
};

test.each<[string, string | undefined, string]>([
  ['+5511988887777', undefined, '+5511988887777'],
  ['+55 (11) 98888-7777', undefined, '+5511988887777'],
  ['+55.11.98888.7777', 'US', '+5511988887777'],
  ['(+55) 11 98888-7777', undefined, '+5511988887777'],
  ['+55 (0)11 98888-7777', undefined, '+5511988887777'],
  ['+44 (0)20 7946 0958', undefined, '+442079460958'],
  ['+39 06 1234 5678', undefined, '+390612345678'],
  ['0055 11 98888-7777', undefined, '+5511988887777'],
  // With Brazil’s own prefixes, it would be a number of the United States.
  ['0055 11 98888-7777', 'BR', '+5511988887777'],
  ['011 44 20 7946 0958', 'US', '+442079460958'],
  ['tel:+55-11-98888-7777', undefined, '+5511988887777'],
  ["'+5511988887777", undefined, '+5511988887777'],
  ['\u202a+55\u00a011 98888\u20117777\u202c', undefined, '+5511988887777'],
  // Nobody has it, but it says all that a phone has to.
  ['+1 555 123 4567', undefined, '+15551234567'],
  ['(11) 98888-7777', 'BR', '+5511988887777'],
  ['5511988887777', 'BR', '+5511988887777'],
  ['0 15 11 98888-7777', 'BR', '+5511988887777'],
  ['１１ ９８８８８−７７７７', 'BR', '+5511988887777'],
  ['11988887777.0', 'BR', '+5511988887777'],
  ['+5511988887777.0', undefined, '+5511988887777'],
  // Some people write a point between groups of four.
  ['6345.0000', 'SG', '+6563450000'],
  ['11988887777,00', 'BR', '+5511988887777'],
  ['912 345 678', 'PT', '+351912345678'],
  ['(415) 555-2671', 'US', '+14155552671'],
  ['030/1234567', 'DE', '+49301234567'],
  ['06 12 34 56 78', 'FR', '+33612345678'],
  ['06 1234 5678', 'IT', '+390612345678'],
  ['8 (912) 345-67-89', 'RU', '+79123456789'],
  ['98765 43210', 'IN', '+919876543210'],
])('%j of %s is %s', (text, country, phone) => {
  expect(read(text, country)).toEqual([phone]);
});

test.each<[string, string | undefined, string]>([
  ['(11) 98888-7777', undefined, 'has no country'],
  // Without its area code nobody can call it.
  ['98888-7777', 'BR', 'is no phone number of BR'],
  ['3333-4444', 'BR', 'is no phone number of BR'],
  ['(00) 0000-0000', 'BR', 'is no phone number of BR'],
  ['(11) 98888-7777', 'PT', 'is no phone number of PT'],
  ['5.51199E+12', 'BR', 'was shortened by a spreadsheet'],
  ['5,51199E+12', 'BR', 'was shortened by a spreadsheet'],
  ['n/a', 'BR', 'is no phone number'],
  ['-', 'BR', 'is no phone number'],
  ['ask Ana', undefined, 'is no phone number'],
  ['+123', undefined, 'is no phone number'],
  ['+0 11 22', undefined, 'is no phone number'],
  // It would be another number.
  ['+55 11 98888-7777 2', undefined, 'is no phone number'],
  ['1-800-FLOWERS', 'US', 'is no phone number of US'],
])('%j of %s can’t be read: it %s', (text, country, why) => {
  const { phone, rest } = readPhone([text], country);
  expect(phone).toBeUndefined();
  expect(rest).toEqual([{ text, why: expect.stringContaining(why) }]);
});

test.each<[string, string, (string | undefined)[]]>([
  ['(11) 98888-7777 / (11) 97777-6666', 'BR', ['+5511988887777', '+5511977776666']],
  ['(11) 98888-7777; +351 912 345 678', 'BR', ['+5511988887777', '+351912345678']],
  ['(11) 98888-7777\n(11) 97777-6666', 'BR', ['+5511988887777', '+5511977776666']],
  ['(11) 98888-7777 ou (11) 97777-6666', 'BR', ['+5511988887777', '+5511977776666']],
  ['11 98888 7777 - 11 97777 6666', 'BR', ['+5511988887777', '+5511977776666']],
  ['030 1234567 / 0171 1234567', 'DE', ['+49301234567', '+491711234567']],
  // With what follows, it would be another number.
  ['0812-345-678 / 12', 'ID', ['+62812345678', '12']],
  ['030 / 1234567', 'DE', ['+49301234567']],
  ['n/a, (11) 98888-7777', 'BR', ['+5511988887777', 'n/a']],
  ['(11) 98888-7777, 97777-6666', 'BR', ['+5511988887777', '97777-6666']],
  // What is more than a number stays as it was written.
  ['(11) 98888-7777 ramal 12', 'BR', ['+5511988887777', '(11) 98888-7777 ramal 12']],
  ['415 555 2671 x12', 'US', ['+14155552671', '415 555 2671 x12']],
  ['(11) 98888-7777 (Ana)', 'BR', ['+5511988887777', '(11) 98888-7777 (Ana)']],
  ['WhatsApp: (11) 98888-7777', 'BR', ['+5511988887777']],
  ['(11) 98888-7777 / +55 11 98888 7777', 'BR', ['+5511988887777']],
])('of %j of %s nothing is lost', (text, country, all) => {
  expect(read(text, country)).toEqual(all);
});

test('what of a very long cell is not looked at is told', () => {
  const cell = `(11) 98888-7777; ${'x'.repeat(2000)}; (11) 97777-6666`;
  const [phone, ...rest] = read(cell, 'BR');
  expect(phone).toBe('+5511988887777');
  expect(rest).toContain(cell);
});

test('the first cell with a number counts; what others have is told', () => {
  const { phone, rest } = readPhone(['n/a', '(11) 98888-7777', '+351 912 345 678'], 'BR');
  expect(phone).toBe('+5511988887777');
  expect(rest.map(({ text }) => text)).toEqual(['n/a', '+351912345678']);
});
