import { stringify } from 'csv-stringify/sync';
import { CliError } from './cli-error.ts';
import { withoutFormula } from './formulas.ts';
import type { Counts, Done, Refused } from './journal.ts';
import { replaceFile } from './private-file.ts';

/** What became of all rows. */
export interface Summary extends Counts {
  rows: number;
  refused: number;
}

/** Writes the rows that were refused, in the order of their lines. The same for the same outcomes. */
export const writeReport = (file: string, all: readonly Done[]): void => {
  const refused = all.flatMap((one) => one.refused).sort((a, b) => a.line - b.line);
  const rows = refused.map(({ line, code, field, message }: Refused) => [
    line,
    code,
    withoutFormula(field),
    withoutFormula(message),
  ]);
  replaceFile(file, stringify([['line', 'code', 'field', 'message'], ...rows]));
};

export const summaryOf = (rows: number, all: readonly Done[]): Summary => {
  const sum = (of: (done: Done) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    rows,
    created: sum(({ counts }) => counts.created),
    updated: sum(({ counts }) => counts.updated),
    unchanged: sum(({ counts }) => counts.unchanged),
    refused: sum(({ refused }) => new Set(refused.map(({ line }) => line)).size),
  };
};

/** Throws `CliError` where other rows were read at the end than at first. */
export const assertWhole = ({ rows, ...became }: Summary): void => {
  const all = Object.values(became).reduce((sum, count) => sum + count, 0);
  if (all === rows) return;
  throw new CliError(
    `The file had ${rows} rows at first, and ${all} when they were sent: it was changed meanwhile. Look at what is there before you import it again.`,
  );
};

/** What is printed once it is done: how many rows became what, and where those are that were refused. */
export const summaryText = (
  { refused, ...counts }: Summary,
  report: string,
  isDryRun: boolean,
): string => {
  const each = Object.entries({ ...counts, refused }).map(([what, count]) => `${count} ${what}`);
  const line = `${each.join(', ')}${isDryRun ? ' (nothing was stored)' : ''}`;
  return refused === 0 ? line : `${line}\nWhat was refused is in ${report}.`;
};
