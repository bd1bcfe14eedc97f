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

const text = 'contact_name\nJoão\n“€”\n';
const wide = (bigEndian: boolean) => {
  const bytes = Buffer.from(text, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
};
/** As Windows saves it: the sign of the euro is no Latin-1. */
const windows = Buffer.from(
  text.replace('“', '\x93').replace('€', '\x80').replace('”', '\x94'),
  'latin1',
);
const marked = (bytes: Buffer, ...mark: number[]) => Buffer.concat([Buffer.from(mark), bytes]);

test.each<[string, Buffer, string | undefined]>([
  ['UTF-8', Buffer.from(text), undefined],
  ['UTF-8', Buffer.from(text), 'UTF-8'],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), undefined],
  ['UTF-16 with a mark', marked(wide(false), 0xff, 0xfe), undefined],
  ['UTF-16 with a mark', marked(wide(false), 0xff, 0xfe), 'utf-16'],
  ['UTF-16BE with a mark', marked(wide(true), 0xfe, 0xff), undefined],
  ['UTF-16BE with a mark', marked(wide(true), 0xfe, 0xff), 'utf-16'],
  ['UTF-16', wide(false), 'utf-16'],
  ['UTF-16LE', wide(false), 'utf-16le'],
  ['UTF-16BE', wide(true), 'utf-16'],
  ['UTF-16BE', wide(true), 'utf-16be'],
  ['Windows-1252', windows, 'windows-1252'],
  ['Windows-1252', windows, 'latin1'],
  ['Windows-1252', windows, 'ISO-8859-1'],
])('a file in %s is read', async (_, bytes, said) => {
  const file = await fileOf('leads.csv', bytes);
  const rows = await allOf(rowsOf(file, await inspect(file, said)));
  expect(rows.map(({ content }) => content)).toEqual([{ cells: ['João'] }, { cells: ['“€”'] }]);
});

test.each<[string, Buffer, string | undefined, RegExp]>([
  [
    'Windows-1252',
    windows,
    undefined,
    /not in UTF-8, in line 1 or soon after. Say --encoding windows-1252/,
  ],
  ['Windows-1252', windows, 'utf-8', /is not in utf-8/],
  ['UTF-8', Buffer.from(text), 'latin1', /is in UTF-8: leave --encoding out/],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), 'latin1', /begins with the mark of utf-8/],
  [
    'UTF-16 with a mark',
    marked(wide(false), 0xff, 0xfe),
    'utf-8',
    /begins with the mark of utf-16le/,
  ],
  ['UTF-16', wide(false), undefined, /Say --encoding utf-16le/],
  ['UTF-16BE', wide(true), undefined, /Say --encoding utf-16be/],
  ['UTF-16 that is cut off', wide(false).subarray(0, 31), 'utf-16le', /is not in utf-16le/],
  [
    'no encoding',
    Buffer.from('a\n\x81\n', 'latin1'),
    'windows-1252',
    /is not in windows-1252, in line 1/,
  ],
  ['UTF-8', Buffer.from(text), 'klingon', /“klingon” is not known/],
])('a file in %s is refused in clear words', async (_, bytes, said, message) => {
  const file = await fileOf('leads.csv', bytes);
  const reading = async () => allOf(rowsOf(file, await inspect(file, said)));
  await expect(reading()).rejects.toThrow(message);
});

test.each(['\n', '\r\n', '\r'])('with line ends %j, rows are what they look like', async (end) => {
  const lines = [
    '',
    ',,,',
    'a,b,c,,',
    '1,2',
    '1',
    ',,,,',
    '',
    '1,2,3,,,,',
    '"x\ny",2,3',
    '1,2,3, ,4',
    ' , ,',
  ];
  const file = await fileOf('leads.csv', lines.join(end));
  const leadFile = await inspect(file);
  expect(leadFile.header).toEqual(['a', 'b', 'c']);
  const rows = await allOf(rowsOf(file, leadFile));
  expect(
    rows.map(({ content }) => ('cells' in content ? content.cells.slice(0, 3) : content)),
  ).toEqual([
    ['1', '2'],
    ['1'],
    ['1', '2', '3'],
    ['x\ny', '2', '3'],
    { problem: expect.stringMatching(/^has 5 cells where there are 3 columns/) },
  ]);
});

/** The lines of the rows that are people, and of those that are told as a footer. */
const partsOf = async (lines: string[], end = '\n') => {
  const rows = await rowsIn(lines.join(end));
  const isFooter = ({ content }: Row) => 'problem' in content;
  const told = rows.flatMap(({ content }) => ('problem' in content ? content.problem : []));
  expect(new Set(told).size).toBeLessThan(2);
  for (const one of told) expect(one).toBe('seems to be the footer of a report, and no lead');
  const linesOf = (all: Row[]) => all.map(({ line }) => line);
  return [linesOf(rows.filter((row) => !isFooter(row))), linesOf(rows.filter(isFooter))];
};

const table = ['Name,Email,Amount', 'Ana,a@b.co,10', 'Rui,,5'];

test.each<[string, string[]]>([
  // As reports of Salesforce end: programs that read them look for these lines.
  [
    'of Salesforce',
    [
      '',
      '"Grand Totals (2 records)"',
      '',
      '"Confidential Information - Do Not Distribute"',
      '"Copyright (c) 2000-2026 salesforce.com, inc. All rights reserved."',
      '"Generated By:  Ana Souza  11/28/2026 9:14 AM"',
      'Cedro',
    ],
  ],
  ['with a sum', ['Total,,15']],
  ['with sums', ['Subtotal,,15', 'Total:,,"15,00"']],
  ['with a count', ['', 'Total de registros: 2']],
  ['in Portuguese', ['', 'Relatório gerado em 28/11/2026', 'Página 1 de 2']],
  ['with a remark', ['', 'Leads of November,,']],
  ['of signs', ['-----,-----,-----']],
  ['with a count of rows', ['Count: 2', '2 rows selected']],
  ['with what it was filtered by', ['Source: CRM', 'Filters: stage = won']],
  ['with a note', ['* of November', '(continued)', '-- End --', 'EOF']],
  ['of other languages', ['Итого,,15', 'Összesen:,,15', '合計,,15']],
  ['of a service', ['Report generated 2026-11-28', 'Powered by Cedro', 'Page 1/3']],
  [
    'with when it is of',
    ['Last updated: 1/1/2026', 'Data as of 1 Jan 2026', 'Exibindo 1 a 3 de 3'],
  ],
  [
    'with how it was taken',
    ['Downloaded on 1 Jan 2026', 'Baixado em 1/1/2026', 'Extrait le 1/1/26'],
  ],
  ['with all in all', ['Totaux,,15', 'Soma total,,15']],
  ['with remarks at once', ['2 records', 'Report run by Ana', '--- End of report ---']],
])('a footer %s is told, and no lead', async (_, footer) => {
  for (const end of ['\n', '\r\n']) {
    const lines = footer.flatMap((line, i) => (line === '' ? [] : [i + 4]));
    expect(await partsOf([...table, ...footer, ''], end)).toEqual([[2, 3], lines]);
  }
});

test.each<[string, string[]]>([
  ['a company with an address', ['Total,t@b.co,5']],
  ['a phone', ['Total,,+55 11 98888-7777']],
  [
    'a company whose name begins so',
    ['Total Energies,,5', 'Media Markt,,5', 'Endeavor,,', 'Confidential Ltda,,', 'Extrait Ltda,,'],
  ],
  ['sums that others follow', ['Total,,5', 'Zé,z@b.co,']],
  ['a name below an empty line', ['', 'Zé']],
  ['names that others follow', ['', 'Zé Souza', 'Eva,e@b.co,']],
  ['an address alone', ['', '', 'z@b.co']],
  ['a phone alone', ['', '11 98888-7777']],
  ['notes that others follow', ['Loja: Centro', '(Zé)', 'Zé,z@b.co,']],
  ['a number alone', ['24']],
  ['a name with an address', ['-,t@b.co,5', 'Loja: Centro,t@b.co,']],
  ['names alone', ['', ...Array.from({ length: 21 }, (_, i) => `Zé Souza ${i}`)]],
  ['a cell that is not the first', ['', ',,of November']],
])('%s is no footer', async (_, rows) => {
  const lines = rows.flatMap((line, i) => (line === '' ? [] : [i + 4]));
  expect(await partsOf([...table, ...rows])).toEqual([[2, 3, ...lines], []]);
});

test('a list of names alone has no footer but sums and remarks', async () => {
  expect(await partsOf(['Name', 'Ana', '', 'Zé Souza', 'Total: 2'])).toEqual([[2, 4], [5]]);
});
