import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { encodingOf, nameOf, textOf } from '../../../packages/client/src/cli/encoding.ts';
import { allOf, fileOf } from './support.ts';

// By which encoding a file is read, and what is told where that is said wrongly. What is read so: rows.test.ts.

const [le, be, mark8] = [
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0xef, 0xbb, 0xbf],
];
const [a, zero] = [0x41, 0];

/** The encoding, with `?` where nobody said so; or what is wrong. */
const encoding = async (bytes: readonly number[], said?: string) => {
  const found = encodingOf(await fileOf('leads.csv', Uint8Array.from(bytes)), said);
  return found.then(
    ({ name, isGuess }) => `${name}${isGuess ? '?' : ''}`,
    ({ message }: Error) => message,
  );
};

test.each<[string, readonly number[], string]>([
  ['no mark', [a, a, a], 'utf-8?'],
  ['nothing', [], 'utf-8?'],
  ['one byte', [a], 'utf-8?'],
  ['the mark of UTF-16', le, 'utf-16le'],
  ['the mark of UTF-16, the other way round', be, 'utf-16be'],
  ['the mark of UTF-8', mark8, 'utf-8'],
  // Marks that are not whole.
  ['the first byte of a mark', [0xff, a], 'utf-8?'],
  ['the second byte of a mark', [a, 0xfe], 'utf-8?'],
  ['the first byte of the other mark', [0xfe, a], 'utf-8?'],
  ['the second byte of the other mark', [a, 0xff], 'utf-8?'],
  ['two bytes of a mark', [0xef, 0xbb, a], 'utf-8?'],
  ['the outer bytes of a mark', [0xef, a, 0xbf], 'utf-8?'],
  ['the last bytes of a mark', [a, 0xbb, 0xbf], 'utf-8?'],
  ['two zeros', [zero, zero], 'utf-8?'],
])('a file that begins with %s is read by that', async (_, bytes, name) => {
  expect(await encoding(bytes)).toBe(name);
});

const seemsTo = (name: string) =>
  `The file seems to be in UTF-16, without a mark. Say --encoding ${name}.`;
const hasMark = (name: string, said: string) =>
  `The file begins with the mark of ${name}: leave --encoding ${said} out.`;

test.each<[string, string | undefined, readonly number[], string]>([
  ['UTF-16 without a mark', undefined, [a, zero], seemsTo('utf-16le')],
  ['UTF-16 without a mark', undefined, [zero, a], seemsTo('utf-16be')],
  ['UTF-16 without a mark', 'utf-8', [a, zero], seemsTo('utf-16le')],
  ['UTF-16 without a mark', 'latin1', [zero, a], seemsTo('utf-16be')],
  ['the mark of UTF-8', 'latin1', mark8, hasMark('utf-8', 'latin1')],
  ['the mark of UTF-8', 'utf-16', mark8, hasMark('utf-8', 'utf-16')],
  ['the mark of UTF-16', 'utf-8', le, hasMark('utf-16le', 'utf-8')],
  ['the mark of UTF-16', 'UTF-16BE', le, hasMark('utf-16le', 'UTF-16BE')],
  ['the mark of UTF-16', 'utf-16le', be, hasMark('utf-16be', 'utf-16le')],
])('of a file with %s, %s is refused: %j', async (_, said, bytes, message) => {
  expect(await encoding(bytes, said)).toBe(message);
});

test.each<[string, readonly number[], string]>([
  ['UTF-8', [a, a], 'utf-8'],
  ['utf8', mark8, 'utf-8'],
  ['latin1', [a, a], 'windows-1252'],
  ['windows-1252', [a, 0xff], 'windows-1252'],
  ['iso-8859-2', [], 'iso-8859-2'],
  ['utf-16', le, 'utf-16le'],
  ['UTF-16', be, 'utf-16be'],
  ['utf-16', [a, zero], 'utf-16le'],
  ['utf-16', [zero, a], 'utf-16be'],
  ['utf-16', [a, a], 'utf-16le'],
  ['utf-16le', le, 'utf-16le'],
  ['utf-16le', [a, zero], 'utf-16le'],
  ['utf-16be', [zero, a], 'utf-16be'],
])('said as %s, a file is read so: %j', async (said, bytes, name) => {
  expect(await encoding(bytes, said)).toBe(name);
});

test('an encoding that is not known is refused in clear words', () => {
  expect(() => nameOf('klingon')).toThrow(
    '--encoding “klingon” is not known. Say utf-8, latin1, windows-1252, utf-16 or another name of the Encoding Standard.',
  );
});

/** Files are read in pieces of so many bytes. */
const piece = 65_536;

/** The text of a file that begins with so many bytes of lines that are 16 long, or what is wrong with it. */
const read = async (before: number, after: Uint8Array | string, name?: string) => {
  const lines = Buffer.from(`${'x'.repeat(15)}\n`.repeat(piece / 16).slice(0, before));
  const file = await fileOf('leads.csv', Buffer.concat([lines, Buffer.from(after)]));
  const reading = textOf(file, ...(name === undefined ? [] : [{ name, isGuess: false }]));
  return allOf(reading).then(
    (texts) => texts.join('').slice(before),
    ({ message }: Error) => message,
  );
};

test('a character that is cut between two pieces of a file is whole', async () => {
  expect(await read(piece - 1, 'é€')).toBe('é€');
  expect(await read(piece - 1, 'é', 'utf-8')).toBe('é');
  // Of two bytes each.
  const wide = Buffer.from(`${'x'.repeat(piece / 2 - 1)}😀é`, 'utf16le');
  const file = await fileOf('leads.csv', wide);
  expect((await allOf(textOf(file, { name: 'utf-16le', isGuess: true }))).join('')).toMatch(
    /x😀é$/,
  );
});

test('bytes that an encoding does not have are told with the line that was reached', async () => {
  const wrong = Uint8Array.of(0x0a, 0xff, 0x0a);
  const guessed = (line: number) =>
    `The file is not in UTF-8, in line ${line} or soon after. Say --encoding windows-1252 if a spreadsheet of Windows saved it (windows-1250 in Central Europe, windows-1251 in Cyrillic), or save it as UTF-8 (in Excel: “CSV UTF-8”).`;
  expect(await read(0, wrong)).toBe(guessed(1));
  expect(await read(piece, wrong)).toBe(guessed(1 + piece / 16));
  expect(await read(piece, wrong, 'utf-8')).toBe(
    `The file is not in utf-8, in line ${1 + piece / 16} or soon after. Say another --encoding, or none.`,
  );
  // What is cut off at the end.
  expect(await read(16, Uint8Array.of(0xc3))).toBe(guessed(2));
  expect(await read(16, Uint8Array.of(0xc3), 'windows-1252')).toBe('Ã');
});

test.each([
  ['ASCII alone', 0, 'abc', 'abc'],
  ['nothing', 0, '', ''],
  ['all that Windows has', 0, Uint8Array.of(0x80, 0x9f, 0xe9, 0x7f), '€Ÿé\u007f'],
  ['a sign in a later piece', piece, Uint8Array.of(0x93), '“'],
  ['a part of UTF-8, and then what is none', 0, Uint8Array.of(0xc3, 0xa9, 0xe9), 'Ã©é'],
  [
    'UTF-8 in the first piece, and then what is none',
    piece - 2,
    Uint8Array.of(0xc3, 0xa9, 0xe9),
    'Ã©é',
  ],
])('Windows-1252 with %s is read', async (_, before, bytes, text) => {
  expect(await read(before, bytes, 'windows-1252')).toBe(text);
});

test.each([
  ['at once', 0, 'é'],
  ['in a later piece', piece, 'é'],
  ['between two pieces', piece - 1, 'é'],
])('what is said to be Windows-1252 and is UTF-8 is told: %s', async (_, before, text) => {
  expect(await read(before, text, 'windows-1252')).toBe(
    'The file is in UTF-8: leave --encoding out.',
  );
  // A byte that is no sign of Windows is one of UTF-8.
  expect(await read(before, 'Á', 'windows-1252')).toBe(
    'The file is in UTF-8: leave --encoding out.',
  );
});

test.each(['windows-1250', 'iso-8859-2', 'windows-1251', 'macintosh', 'shift_jis', 'gbk'])(
  'what is said to be %s and is UTF-8 is told',
  async (name) => {
    for (const before of [0, piece - 1, piece]) {
      expect(await read(before, 'João Łęcki, Жук', name)).toBe(
        'The file is in UTF-8: leave --encoding out.',
      );
    }
    expect(await read(piece, 'abc', name)).toBe('abc');
  },
);

test.each<[string, string, readonly number[]]>([
  ['windows-1250', 'Łęcki', [0xa3, 0xea, 0x63, 0x6b, 0x69]],
  ['windows-1251', 'Жук', [0xc6, 0xf3, 0xea]],
  ['shift_jis', '山田', [0x8e, 0x52, 0x93, 0x63]],
  ['gbk', '张伟', [0xd5, 0xc5, 0xce, 0xb0]],
])('a text in %s is read: %s', async (name, text, bytes) => {
  for (const before of [0, piece - 1, piece]) {
    expect(await read(before, Uint8Array.from(bytes), name)).toBe(text);
  }
});

test('a byte that is no sign of Windows, in what is no UTF-8, is told with its line', async () => {
  for (const wrong of [0x81, 0x8d, 0x8f, 0x90, 0x9d]) {
    expect(await read(piece, Uint8Array.of(0xff, wrong), 'windows-1252')).toBe(
      `The file is not in windows-1252, in line ${1 + piece / 16} or soon after. Say another --encoding, or none.`,
    );
  }
});

test('a file that is gone is told as that', async () => {
  const file = await fileOf('leads.csv', 'a');
  await rm(file);
  await expect(encodingOf(file)).rejects.toMatchObject({ code: 'ENOENT', path: file });
});
