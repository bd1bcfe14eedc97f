import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import { CliError } from './cli-error.ts';
import { problemsIn } from './json-text.ts';

/** A row of a file, with the line that it begins in. */
export interface Row {
  line: number;
  content: Content;
}

/** The cells of CSV, or the value of NDJSON, with what can’t be kept of it, by name; or why there is none. */
export type Content =
  | { cells: string[] }
  | { value: unknown; problems: ReadonlyMap<string, string> }
  | { problem: string };

/** What a file is, by its first characters. */
export type Format = { kind: 'ndjson' } | Csv;

interface Csv {
  kind: 'csv';
  delimiter: string;
  /** Each of these is one. */
  lineEnds: string[];
  /** The first line says only what the delimiter is, as spreadsheets take it: the names come after it. */
  hasDelimiterLine?: boolean;
}

export interface LeadFile {
  format: Format;
  /** The names of the columns of CSV. */
  header: string[];
}

const decoderOf = () => new TextDecoder('utf-8', { fatal: true });

/** The text of a file, piece by piece. Throws `CliError` where it is not UTF-8. */
async function* textOf(file: string): AsyncGenerator<string> {
  const decoder = decoderOf();
  let lines = 1;
  let isFirst = true;
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    if (isFirst) assertNotUtf16(chunk);
    isFirst = false;
    yield decode(chunk, lines);
    lines += countLines(chunk);
  }
  yield decode(undefined, lines);

  function decode(chunk: Uint8Array | undefined, line: number): string {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new CliError(
        `The file is not in UTF-8, in line ${line} or soon after. Save it as UTF-8 (in Excel: “CSV UTF-8”).`,
      );
    }
  }
}

const countLines = (chunk: Uint8Array): number => {
  let lines = 0;
  for (const byte of chunk) if (byte === 0x0a) lines++;
  return lines;
};

const assertNotUtf16 = ([a, b, c]: Uint8Array): void => {
  const hasMark = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  if (hasMark || a === 0 || (b === 0 && c !== undefined)) {
    throw new CliError(
      'The file is in UTF-16. Save it as UTF-8 (in Excel: “CSV UTF-8”) and start again.',
    );
  }
};

/** Characters of a file that are looked at to know what it is. */
const headLength = 65_536;

/** Looks at the beginning of a file. Throws `CliError` where there is nothing in it. */
export const inspect = async (file: string): Promise<LeadFile> => {
  let head = '';
  for await (const text of textOf(file)) {
    head += text;
    if (head.length > headLength) break;
  }
  if (head.trim() === '') throw new CliError('The file is empty.');
  if (head.trimStart().startsWith('{')) return { format: { kind: 'ndjson' }, header: [] };
  const format = csvOf(head);
  for await (const { content } of rowsOf(file, { format, header: [] }, true)) {
    if ('cells' in content) return { format, header: content.cells.map((name) => name.trim()) };
    break;
  }
  throw new CliError('The first line must have the names of the columns.');
};

/** A first line such as `sep=;`, which is for spreadsheets. */
const delimiterLine = /^"?sep=([^\w\s"]|\t)"?(?=[\r\n]|$)/i;

/**
 * The delimiter is the one that the first line says, or that of comma, semicolon and tab that it has most of, outside of
 * quotation marks.
 */
const csvOf = (head: string): Csv => {
  const unquoted = head.replace(/"[^"]*"/g, '');
  const hasOnlyCr = unquoted.includes('\r') && !unquoted.includes('\n');
  const lineEnds = hasOnlyCr ? ['\r'] : ['\r\n', '\n'];
  const [line = ''] = unquoted.split(lineEnds.at(-1)!);
  const sign = delimiterLine.exec(head)?.[1];
  if (sign) return { kind: 'csv', delimiter: sign, lineEnds, hasDelimiterLine: true };
  const countCells = (delimiter: string) => line.split(delimiter).length;
  const delimiter = [',', ';', '\t'].reduce((best, one) =>
    countCells(one) > countCells(best) ? one : best,
  );
  return { kind: 'csv', delimiter, lineEnds };
};

/** The rows of a file, in order; without the one that names the columns, unless told. */
export async function* rowsOf(
  file: string,
  { format, header }: LeadFile,
  withHeader = false,
): AsyncGenerator<Row> {
  if (format.kind === 'ndjson') yield* jsonRows(file);
  else yield* csvRows(file, format, header, withHeader);
}

async function* jsonRows(file: string): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(file)) {
    line++;
    if (text.trim() !== '') yield { line, content: jsonContent(text) };
  }
}

const jsonContent = (text: string): Content => {
  try {
    return { value: JSON.parse(text), problems: problemsIn(text) };
  } catch {
    return { problem: 'is not JSON' };
  }
};

async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const text of textOf(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function* csvRows(
  file: string,
  { delimiter, lineEnds, hasDelimiterLine = false }: Csv,
  header: readonly string[],
  withHeader: boolean,
): AsyncGenerator<Row> {
  let nextLine = 1;
  const parser = parse({
    delimiter,
    // A file may have both ends of lines. Left to itself, the parser takes the first one only.
    record_delimiter: lineEnds,
    relax_column_count: true,
    on_record: withLine as never,
  });
  const feeding = feed();
  feeding.catch((error) => parser.destroy(error));
  let isHeader = true;
  let skip = hasDelimiterLine;
  try {
    for await (const { line, cells } of parser as AsyncIterable<Parsed>) {
      if (skip) {
        skip = false;
        continue;
      }
      const content = isHeader || cells.length === header.length;
      const row = { line, content: content ? { cells } : wrongCount(cells, header) };
      const isEmpty = cells.length === 1 && cells[0] === '';
      if ((!isHeader || withHeader) && !isEmpty) yield row;
      isHeader = false;
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(unreadable(error as Error, nextLine));
  } finally {
    parser.destroy();
  }

  function withLine(cells: string[]): Parsed {
    const row = { line: nextLine, cells };
    nextLine += cells.join(delimiter).split(/\r\n|\n|\r/).length;
    return row;
  }

  async function feed(): Promise<void> {
    for await (const text of textOf(file)) {
      if (parser.destroyed) return;
      if (!parser.write(text)) await new Promise((resolve) => parser.once('drain', resolve));
    }
    parser.end();
  }
}

interface Parsed {
  line: number;
  cells: string[];
}

/** Problems by the parser’s codes. */
const problems: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE:
    'a quotation mark inside a cell that does not begin with one. Put the cell in quotation marks and double those in it.',
  CSV_INVALID_CLOSING_QUOTE:
    'text after the quotation mark that ends a cell. Double each quotation mark inside of a cell.',
  CSV_QUOTE_NOT_CLOSED: 'a cell begins with a quotation mark, and none ends it.',
};

/** `line` is where the row begins that could not be read. */
const unreadable = (error: Error, line: number): string => {
  const problem = error instanceof CsvError ? problems[error.code] : undefined;
  return problem ? `Line ${line}: ${problem}` : `The file can’t be read as CSV: ${error.message}`;
};

const wrongCount = (record: readonly string[], header: readonly string[]) => ({
  problem: `has ${record.length} columns where there are ${header.length}`,
});
