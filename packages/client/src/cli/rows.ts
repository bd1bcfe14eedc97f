import { CsvError, parse } from 'csv-parse';
import { CliError } from './cli-error.ts';
import { type Encoding, encodingOf, textOf } from './encoding.ts';
import { assertColumnNames, assertFile, assertRows } from './file-kind.ts';
import { type Cells, tellingFooters } from './footers.ts';
import { problemsIn } from './json-text.ts';
import { visibleText } from './values/plain-text.ts';

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

/** The format of a file, by its first characters. */
export type Format = { kind: 'ndjson' } | Csv;

interface Csv {
  kind: 'csv';
  delimiter: string;
  /** The texts that end a line. */
  lineEnds: string[];
  /** The first line says only what the delimiter is, as spreadsheets take it: the names come after it. */
  hasDelimiterLine?: boolean;
  /** Whether its first line ends as spreadsheets end lines, and `leads export` does not. */
  endsWithCr?: boolean;
}

export interface LeadFile {
  format: Format;
  /** The names of the columns of CSV; of NDJSON, those in the first line. */
  header: string[];
  /** By default UTF-8. */
  encoding?: Encoding;
}

/** Characters of a file that are looked at to know what it is. */
const headLength = 65_536;

/** Looks at the beginning of a file. Throws `CliError` where there is nothing in it, or it is in another encoding than was said. */
export const inspect = async (file: string, saidEncoding?: string): Promise<LeadFile> => {
  await assertFile(file);
  const encoding = await encodingOf(file, saidEncoding);
  let head = '';
  for await (const text of textOf(file, encoding)) {
    head += text;
    if (head.length > headLength) break;
  }
  if (head.trim() === '') throw new CliError('The file is empty.');
  assertRows(head);
  if (head.trimStart().startsWith('{')) {
    return { format: { kind: 'ndjson' }, header: namesIn(head.trimStart()), encoding };
  }
  const format = csvOf(head);
  for await (const { content } of rowsOf(file, { format, header: [], encoding }, true)) {
    if (!('cells' in content)) break;
    const header = withoutLastEmpty(content.cells.map((name) => visibleText(name)));
    assertColumnNames(header);
    return { format, header, encoding };
  }
  throw new CliError('The first line must have the names of the columns.');
};

/** The names in the first line of NDJSON. */
const namesIn = (head: string): string[] => {
  const content = jsonContent(head.split('\n', 1)[0]!);
  const isObject = 'value' in content && typeof content.value === 'object';
  return isObject ? Object.keys(content.value ?? {}) : [];
};

/** A first line such as `sep=;`, which is for spreadsheets. */
const delimiterLine = /^"?sep=([^\w\s"]|\t)"?(?=[\r\n]|$)/i;

/**
 * The delimiter that the first line says. Without it, the sign that the line has most of, outside of quotation marks:
 * comma, semicolon, tab or bar.
 */
const csvOf = (head: string): Csv => {
  // Empty lines may come before the names.
  const unquoted = head.replace(/"[^"]*"/g, '').replace(/^[\r\n]+(?=.)/, '');
  const hasOnlyCr = unquoted.includes('\r') && !unquoted.includes('\n');
  const lineEnds = hasOnlyCr ? ['\r'] : ['\r\n', '\n'];
  const [line = ''] = unquoted.split(lineEnds.at(-1)!);
  const sign = delimiterLine.exec(head)?.[1];
  if (sign) return { kind: 'csv', delimiter: sign, lineEnds, hasDelimiterLine: true };
  const countCells = (delimiter: string) => line.split(delimiter).length;
  const delimiter = [',', ';', '\t', '|'].reduce((best, one) =>
    countCells(one) > countCells(best) ? one : best,
  );
  return { kind: 'csv', delimiter, lineEnds, endsWithCr: hasOnlyCr || line.endsWith('\r') };
};

/** The rows of a file, in order; the row that names the columns only if `withHeader`. */
export async function* rowsOf(
  file: string,
  { format, header, encoding }: LeadFile,
  withHeader = false,
): AsyncGenerator<Row> {
  const texts = () => textOf(file, encoding);
  if (format.kind === 'ndjson') yield* jsonRows(texts());
  else yield* csvRows(texts(), format, header, withHeader);
}

async function* jsonRows(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(texts)) {
    line++;
    if (text.trim() !== '') yield { line, content: jsonContent(text) };
  }
}

const jsonContent = (text: string): Content => {
  try {
    return { value: JSON.parse(text), problems: problemsIn(text, true) };
  } catch {
    return { problem: 'is not JSON' };
  }
};

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function* csvRows(
  texts: AsyncIterable<string>,
  { delimiter, lineEnds, hasDelimiterLine = false }: Csv,
  header: readonly string[],
  withHeader: boolean,
): AsyncGenerator<Row> {
  let nextLine = 1;
  const parser = parse({
    delimiter,
    // A file may have both ends of lines. Without this, the parser takes only the end that comes first.
    record_delimiter: lineEnds,
    relax_column_count: true,
    on_record: withLine as never,
  });
  const feeding = feed();
  feeding.catch((error) => parser.destroy(error));
  try {
    const asFooter = ({ line }: Cells): Row => ({ line, content: { problem: footer } });
    if (withHeader) for await (const row of filled()) yield { line: row.line, content: row };
    else yield* tellingFooters(filled(), header.length, asRow, asFooter);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(unreadable(error as Error, nextLine));
  } finally {
    parser.destroy();
  }

  /** The rows that have something in them, without the row that only says the delimiter. */
  async function* filled(): AsyncGenerator<Cells> {
    let skip = hasDelimiterLine;
    let isHeader = !withHeader;
    let isApart = false;
    for await (const one of parser as AsyncIterable<Parsed>) {
      const isEmpty = one.cells.every((cell) => cell.trim() === '');
      if (!skip && !isEmpty && !isHeader) yield { ...one, isApart };
      isHeader &&= skip || isEmpty;
      skip = false;
      isApart = isEmpty;
    }
  }

  function asRow({ line, cells }: Cells): Row {
    const cellCount = withoutLastEmpty(cells).length;
    return { line, content: cellCount > header.length ? tooLong(cellCount, header) : { cells } };
  }

  function withLine(cells: string[]): Parsed {
    const row = { line: nextLine, cells };
    nextLine += cells.join(delimiter).split(/\r\n|\n|\r/).length;
    return row;
  }

  async function feed(): Promise<void> {
    for await (const text of texts) {
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

const footer = 'seems to be the footer of a report, and no lead';

/** The cells without the empty cells at the end: spreadsheets add commas there. */
const withoutLastEmpty = (cells: readonly string[]): string[] =>
  cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);

const tooLong = (cellCount: number, header: readonly string[]) => ({
  problem: `has ${cellCount} cells where there are ${header.length} columns. If a cell has the sign between cells in it, put it in quotation marks`,
});
