import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inspect, rowsOf } from '../../packages/client/src/cli/rows.ts';

/** The lines in which the rows of a file begin. */
const linesOf = async (text: string): Promise<number[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-rows-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'leads.csv');
  await writeFile(file, text);
  const lines: number[] = [];
  for await (const { line } of rowsOf(file, await inspect(file))) lines.push(line);
  return lines;
};

/** Two rows of two lines each, and one that begins in line 6. */
const before = ['contact_name,company_name', '"Ana\nLima",a', '"b\nc",', ''].join('\n');
const inCrLf = (text: string) => text.replaceAll('\n', '\r\n');

test.each([
  ['LF', before],
  ['CR LF', inCrLf(before)],
])('a row is of the line that it begins in, with line ends of %s', async (_, text) => {
  expect(await linesOf(`${text}Rui,d`)).toEqual([2, 4, 6]);
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
