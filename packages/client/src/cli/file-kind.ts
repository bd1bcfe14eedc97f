import { open, stat } from 'node:fs/promises';
import { CliError } from './cli-error.ts';

/** Bytes at the beginning and at the end of a file that tell what it is: an archive has its names at its end. */
const edgeBytes = 65_536;

const inExcel = 'In Excel, save it as “CSV UTF-8” (File, Save As), and import that.';
const inNumbers = 'In Numbers, export it as CSV (File, Export To), and import that.';
const inLibreOffice = 'In LibreOffice, save it as “Text CSV” (File, Save As), and import that.';
const again = 'Save the leads as CSV, and import that.';

/** Archives by what is in them; all begin alike. */
const archives: readonly (readonly [RegExp, string])[] = [
  [/xl\/(?:workbook|worksheets|_rels)/, `an Excel workbook (.xlsx). ${inExcel}`],
  [/opendocument\.spreadsheet/, `an OpenDocument spreadsheet (.ods). ${inLibreOffice}`],
  [/\.iwa|Index\.zip/, `a Numbers spreadsheet. ${inNumbers}`],
  [/word\/document/, `a Word document. ${again}`],
];

const noText = `no text. ${again}`;
/** Text in UTF-16 has fewer in a row. */
const nulls = '\0\0\0';
const zip = 'a zip archive. Unpack it, and import the CSV in it.';
/** Kinds of binary files, by their first bytes. */
const binaries: readonly (readonly [hex: string, told: string])[] = [
  ['504b0304', zip],
  ['504b0506', zip],
  ['d0cf11e0', `an Excel workbook (.xls). ${inExcel}`],
  ...['1f8b', '425a6839', '28b52ffd', 'fd377a58', '377abcaf', '52617221'].map(
    (bytes) => [bytes, 'compressed. Unpack it, and import what is in it.'] as const,
  ),
  ...['ffd8ff', '50415231'].map((bytes) => [bytes, noText] as const),
  ['25504446', `a PDF. ${again}`],
];

const texts: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:<!--[^>]*-->\s*)?<(?:!doctype html|html|head|body|table|meta|script|title|div|h1|p|a)\b/i,
    'a web page: perhaps one that asks to log in, or a table that a spreadsheet can open and save as CSV. Import the CSV.',
  ],
  [/^<\?xml.*urn:schemas-microsoft-com:office:spreadsheet/is, `an Excel workbook. ${inExcel}`],
  [/^<(?:\?xml|[a-z]\w*[^>]*>\s*<|[a-z]\w* [^>]*=)/i, `XML. ${again}`],
  [/^\{\\rtf/, `RTF, and no plain text. ${again}`],
  [/^BEGIN:VCARD/i, 'vCard. Export the contacts as CSV (in Google Contacts: “Google CSV”).'],
  [
    /^\[\s*(?:[[{"\]]|-?\d)/,
    "a list in JSON. Lines of NDJSON have a lead each: make them, as with jq -c '.[]', and import that.",
  ],
  [
    /^\{[^\n]*(?:[{[,]\s*\n|\n\s*["}])/,
    'JSON of several lines, and perhaps the answer of another service. Lines of NDJSON have a lead each: make them, as with jq -c, and import that.',
  ],
];

/** Whether a text begins as an export does: the API takes any sign in a text, so that an export may have each. */
const isExport = (text: string): boolean => /^[^,]{0,3}id,external_id,contact_name,/.test(text);

const told = (all: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  all.find(([pattern]) => pattern.test(text))?.[1];

/** Throws `CliError`, with what to do, for a folder, and for a file whose first bytes are of a workbook, an archive or another document. */
export const assertFile = async (file: string): Promise<void> => {
  const status = await stat(file);
  if (status.isDirectory()) {
    const isNumbers = /\.numbers\/?$/i.test(file);
    throw new CliError(
      isNumbers
        ? `The file is a Numbers spreadsheet. ${inNumbers}`
        : `${file} is a folder. Name the file in it.`,
    );
  }
  const begin = await bytesOf(file, 0);
  const hex = Buffer.from(begin.slice(0, 4), 'latin1').toString('hex');
  const [, kind = begin.includes(nulls) && !isExport(begin) ? noText : undefined] =
    binaries.find(([bytes]) => hex.startsWith(bytes)) ?? [];
  if (kind === undefined) return;
  const end = await bytesOf(file, Math.max(0, status.size - edgeBytes));
  const inside = kind === zip ? told(archives, begin + end) : undefined;
  throw new CliError(`The file is ${inside ?? kind}`);
};

/** The bytes from there on, each as a character. */
const bytesOf = async (file: string, at: number): Promise<string> => {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(edgeBytes), 0, edgeBytes, at);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** Throws `CliError`, with what to do, for a text that begins as that of another kind of document. */
export const assertRows = (head: string): void => {
  const kind =
    told(texts, head.trimStart()) ?? (head.includes('\0') && !isExport(head) ? noText : undefined);
  if (kind !== undefined) throw new CliError(`The file is ${kind}`);
};

/** Nobody calls a column so: an address, a phone, a date. */
const value =
  /^[^\s@]+@[^\s@]+\.[a-z]{2,}$|^\+?(?=(?:\D*\d){6})[\d\s().-]+$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/i;

/** Throws `CliError` for a first line that is a row. */
export const assertColumnNames = (header: readonly string[]): void => {
  const found = header.find((name) => value.test(name));
  if (found === undefined) return;
  throw new CliError(
    `The first line must have the names of the columns, and has “${found}”. Put a line before it, such as contact_name,email,phone.`,
  );
};
