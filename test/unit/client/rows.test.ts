import { expect, test } from 'vitest';
import { inspect, type Row, rowsOf } from '../../../packages/client/src/cli/rows.ts';
import { allOf, fileOf } from './support.ts';

const rowsIn = async (text: string): Promise<Row[]> => {
  const file = await fileOf('leads.csv', text);
  return allOf(rowsOf(file, await inspect(file)));
};

/** The lines in which the rows of a file begin. */
const linesOf = async (text: string) => (await rowsIn(text)).map(({ line }) => line);

/** Two rows of two lines each, and one that begins in line 6. */
const before = ['contact_name,company_name', '"Ana\nLima",a', '"b\nc",', ''].join('\n');
const inCrLf = (text: string) => text.replaceAll('\n', '\r\n');

test.each([
  ['LF', before],
  ['CR LF', inCrLf(before)],
  ['CR', before.replaceAll('\n', '\r')],
])('a row is of the line that it begins in, with line ends of %s', async (_, text) => {
  expect(await linesOf(`${text}Rui,d`)).toEqual([2, 4, 6]);
});

test.each([
  ['CR LF after a header with LF', 'a,b\n1,"2\r\n3"\r\n4,"5"\r\n\r\n6,7'],
  ['LF after a header with CR LF', 'a,b\r\n1,"2\r\n3"\n4,"5"\n\n6,7'],
])('no part of a line end of %s is part of a cell', async (_, text) => {
  expect(await rowsIn(text)).toEqual([
    { line: 2, content: { cells: ['1', '2\r\n3'] } },
    { line: 4, content: { cells: ['4', '5'] } },
    { line: 6, content: { cells: ['6', '7'] } },
  ]);
});

test('a line end is one also where a file is read in two parts between CR and LF', async () => {
  const first = 'a,b\n1,2\r\n';
  // Files are read in parts of 64 KiB.
  const long = 'x'.repeat(65_536 - first.length - '3,\r'.length);
  const rows = await rowsIn(`${first}3,${long}\r\n4,5\r\n`);
  expect(rows.map(({ content }) => content)).toEqual([
    { cells: ['1', '2'] },
    { cells: ['3', long] },
    { cells: ['4', '5'] },
  ]);
});

test.each([
  ['Rui "R",d', /^Line 6: a quotation mark inside a cell that does not begin with one\./],
  ['d,Rui "R"', /^Line 6: a quotation mark inside a cell that does not begin with one\./],
  ['"Rui\n" R,d', /^Line 6: text after the quotation mark that ends a cell\./],
  ['"Rui,d\n\n', /^Line 6: a cell begins with a quotation mark, and none ends it\.$/],
])('a file with %j is refused with the line of that row', async (row, message) => {
  for (const text of [before + row, inCrLf(before + row)]) {
    await expect(linesOf(text)).rejects.toThrow(message);
  }
});

test.each([
  ['sep=;\r\n', ';'],
  ['"sep=;"\n', ';'],
  ['\ufeffSEP=,\n', ','],
  ['sep=\t\n', '\t'],
  ['sep=|\n', '|'],
  ['sep=,\r', ','],
])('a first line %j says that cells are split at %j', async (first, delimiter) => {
  const end = first.endsWith('\r\n') ? '\r\n' : first.at(-1)!;
  const lines = [
    ['contact_name', 'company_name'],
    ['"A\nna"', '"a,b;c\td"'],
    ['Rui', 'd'],
  ].map((cells) => cells.join(delimiter));
  expect(await rowsIn(first + lines.join(end))).toEqual([
    { line: 3, content: { cells: ['A\nna', 'a,b;c\td'] } },
    { line: 5, content: { cells: ['Rui', 'd'] } },
  ]);
});

test.each(['sep=a\n', 'sep=;;\n', 'separator;x\n'])(
  'a first line %j names columns',
  async (first) => {
    expect(await linesOf(`${first}1;2`)).toEqual([2]);
  },
);

test.each(['sep=;', 'sep=;\n'])('a file with %j alone has no names', async (text) => {
  await expect(linesOf(text)).rejects.toThrow('The first line must have the names');
});

test.each([
  ['UTF-16', Buffer.from('\ufeffcontact_name\nMaria', 'utf16le'), /in UTF-16/],
  ['Latin-1', Buffer.from('a\nJo\xe3o\n', 'latin1'), /not in UTF-8, in line 1 or soon after/],
])('a file in %s is refused in clear words', async (_, bytes, message) => {
  await expect(inspect(await fileOf('leads.csv', bytes))).rejects.toThrow(message);
});
