import { expect, test } from 'vitest';
import {
  idText,
  lossOf,
  textOfFormula,
  wholeText,
} from '../../../../packages/client/src/cli/values/spreadsheets.ts';

test.each([
  ['1.23457E+11', 'was shortened by a spreadsheet'],
  [' 1,23457E+11 ', 'was shortened by a spreadsheet'],
  ['1E+11', 'was shortened by a spreadsheet'],
  ['1.23456789012E+017', 'was shortened by a spreadsheet'],
  ['1.234567e+11', 'was shortened by a spreadsheet'],
  ['5.511988887777E12', 'was shortened by a spreadsheet'],
  ['1.23457E-05', 'was shortened by a spreadsheet'],
  ['########', 'was too long for a column of a spreadsheet'],
  ['#N/A', 'is the error of a formula'],
  ['#NAME?', 'is the error of a formula'],
  ['#N/D', 'is the error of a formula'],
  ['#NV', 'is the error of a formula'],
  ['#VALOR!', 'is the error of a formula'],
  ['#¡REF!', 'is the error of a formula'],
  ['#¿NOMBRE?', 'is the error of a formula'],
  ['#DEEL/0!', 'is the error of a formula'],
  ['#SPILL!', 'is the error of a formula'],
  // Polish, Czech, Croatian, Swedish, Danish and Norwegian, Finnish, Hungarian, Russian.
  ['#ARG!', 'is the error of a formula'],
  ['#N/D!', 'is the error of a formula'],
  ['#NÁZEV?', 'is the error of a formula'],
  ['#NENÍ_K_DISPOZICI', 'is the error of a formula'],
  ['#VRIJEDNOST!', 'is the error of a formula'],
  ['#SAKNAS!', 'is the error of a formula'],
  ['#I/T', 'is the error of a formula'],
  ['#JAKO/0!', 'is the error of a formula'],
  ['#HIÁNYZIK', 'is the error of a formula'],
  ['#ССЫЛКА!', 'is the error of a formula'],
  ['Err:508', 'is the error of a formula'],
  ['#VIP!', undefined],
  ['#VALOR', undefined],
  ['#nome?', undefined],
  ['1E5', undefined],
  ['1.5', undefined],
  ['12E+11', undefined],
  ['2E-01', undefined],
  ['A1.2E+11', undefined],
  ['#1', undefined],
  ['N/A', undefined],
])('%j %s', (cell, loss) => {
  expect(lossOf(cell)).toBe(loss);
});

test.each([
  ['123.0', '123'],
  ['00123.00', '00123'],
  ['123,0', '123'],
  // The sign may stand between thousands.
  ['1.000', '1.000'],
  ['12,000', '12,000'],
  ['123', '123'],
  ['1.5', '1.5'],
  ['v1.0', 'v1.0'],
])('as a whole number, %j is %j', (cell, text) => {
  expect(wholeText(cell)).toBe(text);
});

test.each([
  ['="007"', '007'],
  ['="a ""b"""', 'a "b"'],
  ['=""', ''],
  ['="a"&"b"', '="a"&"b"'],
  ['=1+1', '=1+1'],
  ['"007"', '"007"'],
  ["'007", '007'],
  [" '+55 11", '+55 11'],
  ["'15/03/2024", '15/03/2024'],
  ["'1'000", "1'000"],
  ["'90s", "'90s"],
  ["'90'", "'90'"],
  ["'a'", "'a'"],
])('the text of %j is %j', (cell, text) => {
  expect(textOfFormula(cell)).toBe(text);
});

test.each([
  [' 7\u00a0', '7'],
  ['\u200b\ufeffA 7\u200d', 'A 7'],
  ['\u00a07.0 ', '7'],
  ['A\u00a07', 'A\u00a07'],
])('the id in %j is %j', (cell, id) => {
  expect(idText(cell)).toBe(id);
});
