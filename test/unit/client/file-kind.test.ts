import { mkdir, writeFile } from 'node:fs/promises';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { failureText } from '../../../packages/client/src/cli/failure.ts';
import { inspect } from '../../../packages/client/src/cli/rows.ts';
import { fileOf, makeDirectory } from './support.ts';

/** A zip archive of these files, as far as somebody looks who reads its names: each with its header, and a list of all at the end. */
const zipOf = (files: Record<string, string>): Buffer => {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  for (const [name, text] of Object.entries(files)) {
    // A `mimetype` is stored as it is.
    const data = name === 'mimetype' ? Buffer.from(text) : deflateRawSync(text);
    const header = Buffer.alloc(30);
    header.writeUInt32BE(0x504b0304, 0);
    header.writeUInt16LE(name.length, 26);
    parts.push(header, Buffer.from(name), data);
    const entry = Buffer.alloc(46);
    entry.writeUInt32BE(0x504b0102, 0);
    list.push(entry, Buffer.from(name));
  }
  return Buffer.concat([...parts, ...list, Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1')]);
};
const filler = Array.from({ length: 40_000 }, () => Math.random()).join();

const workbook = { '[Content_Types].xml': '', 'xl/workbook.xml': '' };

test.each<[string, string, Buffer | string, string]>([
  [
    'an .xlsx',
    'leads.xlsx',
    zipOf(workbook),
    'an Excel workbook (.xlsx). In Excel, save it as “CSV',
  ],
  ['an .xlsx by another name', 'leads.csv', zipOf(workbook), 'an Excel workbook (.xlsx)'],
  [
    'an .xlsx whose names are far back',
    'leads.xlsx',
    zipOf({ 'docProps/thumbnail.jpeg': filler, ...workbook }),
    'an Excel workbook (.xlsx)',
  ],
  ['an .xls', 'leads.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'an Excel workbook (.xls)'],
  [
    'an .ods',
    'leads.ods',
    zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '' }),
    'an OpenDocument spreadsheet (.ods). In LibreOffice, save it as “Text CSV”',
  ],
  [
    'a .numbers',
    'leads.numbers',
    zipOf({ 'Index/Document.iwa': '', 'preview.jpg': '' }),
    'a Numbers spreadsheet. In Numbers, export it as CSV',
  ],
  ['a .docx', 'leads.docx', zipOf({ 'word/document.xml': '' }), 'a Word document.'],
  ['a zip', 'export.zip', zipOf({ 'contacts.csv': 'a,b' }), 'a zip archive. Unpack it'],
  ['a gzip', 'leads.csv.gz', gzipSync('a,b'), 'compressed. Unpack it'],
  ['a PDF', 'leads.pdf', '%PDF-1.7\n', 'a PDF. Save the leads as CSV'],
  ['a page', 'export.csv', '\ufeff\n<!DOCTYPE html>\n<title>Log in</title>', 'a web page: perhaps'],
  ['a table', 'report.xls', '<table border=1><tr><td>Ana</table>', 'a web page: perhaps'],
  [
    'a workbook in XML',
    'report.xls',
    '<?xml version="1.0"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">',
    'an Excel workbook.',
  ],
  ['XML', 'leads.xml', '<?xml version="1.0"?>\n<leads/>', 'XML.'],
  ['RTF', 'leads.csv', '{\\rtf1\\ansi Ana}', 'RTF, and no plain text.'],
  ['vCard', 'contacts.vcf', 'BEGIN:VCARD\r\nFN:Ana\r\n', 'vCard. Export the contacts as CSV'],
  ['a list in JSON', 'leads.json', '[{"email":"a@b.co"}]', 'a list in JSON. Lines of NDJSON'],
  ['JSON of lines', 'leads.json', '{\n  "items": [\n', 'JSON of several lines, and perhaps'],
  ['a page with a remark', 'leads.csv', '<!-- a -->\n<HTML>', 'a web page: perhaps'],
  ['a redirect', 'leads.csv', '<a href="/login">Found</a>.\n', 'a web page: perhaps'],
  ['an error in XML', 'leads.csv', '<Error><Code>AccessDenied</Code></Error>', 'XML.'],
  ['another archive', 'leads.7z', Buffer.from('377abcaf271c', 'hex'), 'compressed.'],
  ['a photo', 'leads.jpg', Buffer.from('ffd8ffe000104a46', 'hex'), 'no text.'],
  ['JSON of lines without blanks', 'leads.json', '{"a":[\r\n{"b":1},\r\n', 'JSON of several lines'],
  ['bytes', 'leads.csv', 'contact_name\nA\0na\n', 'no text.'],
  ['a picture', 'leads.png', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'no text. Save the'],
])('%s is named, and what to do', async (_, name, content, told) => {
  await expect(inspect(await fileOf(name, content))).rejects.toThrow(`The file is ${told}`);
});

test('a folder is named, also where it is a document', async () => {
  const path = await makeDirectory();
  await mkdir(path('leads.numbers'));
  await mkdir(path('leads'));
  await expect(inspect(path('leads'))).rejects.toThrow(/leads is a folder. Name the file in it.$/);
  await expect(inspect(path('leads.numbers'))).rejects.toThrow('is a Numbers spreadsheet.');
});

test.each(['', '\ufeff', '\n \r\n'])('a file with %j alone is empty', async (text) => {
  await expect(inspect(await fileOf('leads.csv', text))).rejects.toThrow('The file is empty.');
});

test.each([
  'Ana,ana@example.com\nRui,r@example.com',
  'Ana;+55 (11) 98888-7777',
  'Ana\t2024-03-12',
  '11988887777',
])('a first line %j has no names of columns', async (text) => {
  const message = /^The first line must have the names of the columns, and has “.+”\. Put a line/;
  await expect(inspect(await fileOf('leads.csv', text))).rejects.toThrow(message);
});

test('text in UTF-16 is no picture', async () => {
  const text = Buffer.from('\ufeffcontact_name,a\u3000b\nāĀa,\u0100\u3000\n', 'utf16le');
  expect((await inspect(await fileOf('leads.csv', text))).header).toHaveLength(2);
});

test('what begins as an export is one, whatever signs its texts have', async () => {
  for (const text of ['A\0na', '\0\0\0']) {
    const content = `\ufeffid,external_id,contact_name,email\n1,,${text},\n`;
    expect((await inspect(await fileOf('leads.csv', content))).header).toHaveLength(4);
  }
});

test.each([
  'contact_name,email',
  'Q1 2024;2025;E-mail (work)',
  '@handle,1,2,3',
  '{"email":"a@b.co"}\n{"email":"b@b.co"}',
  'PK,a',
  '[Name],b',
  '<Name>,b',
])('%j is taken', async (text) => {
  const path = await makeDirectory();
  await writeFile(path('leads.csv'), text);
  await expect(inspect(path('leads.csv'))).resolves.toBeDefined();
});

test('what the file system says is told in a sentence', async () => {
  const path = await makeDirectory();
  const failure = await inspect(path('no-such.csv')).catch(failureText);
  expect(failure).toBe(`There is no file ${path('no-such.csv')}.`);
  const denied = Object.assign(new Error("EACCES: permission denied, open '/x'"), {
    code: 'EACCES',
    path: '/x',
  });
  expect(failureText(denied)).toBe('/x can’t be used: permission denied.');
});
