import { stringify } from 'csv-stringify/sync';
import { CliError } from './cli-error.ts';
import { withoutFormula } from './formulas.ts';
import type { Counts, Done, Refused } from './journal.ts';
import { replaceFile } from './private-file.ts';

/** The results of all rows. */
export interface Summary extends Counts {
  rows: number;
  refused: number;
}

/** Values that rows came in without, or with only a part of them. */
export const countLeftOut = (all: readonly Done[]): number =>
  all.reduce((sum, { leftOut = [] }) => sum + leftOut.length, 0);

/** Writes the rows that were refused, and values that were left out or cut, in the order of their lines. The same for the same outcomes. */
export const writeReport = (file: string, all: readonly Done[]): void => {
  const told = all.flatMap(({ refused, leftOut = [] }) => [...refused, ...leftOut]);
  const rows = told
    .sort((a, b) => a.line - b.line)
    .map(({ line, code, field, message }: Refused) => [
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
export const assertSameRows = ({ rows, ...became }: Summary): void => {
  const all = Object.values(became).reduce((sum, count) => sum + count, 0);
  if (all === rows) return;
  throw new CliError(
    `The file had ${rows} rows at first, and ${all} when they were sent: it was changed meanwhile. Look at what is there before you import it again.`,
  );
};

/** The text that is printed at the end: how many rows became what, and where the refused rows are. */
export const summaryText = (
  { refused, ...counts }: Summary,
  report: string,
  isDryRun: boolean,
  leftOut = 0,
): string => {
  const each = Object.entries({ ...counts, refused }).map(([what, count]) => `${count} ${what}`);
  const line = `${each.join(', ')}${isDryRun ? ' (nothing was stored)' : ''}`;
  const told = [
    ...(leftOut > 0
      ? [
          `${leftOut === 1 ? '1 value was' : `${leftOut} values were`} left out or cut in rows that ${isDryRun ? 'would come in' : 'are in'}.`,
        ]
      : []),
    ...(refused > 0 || leftOut > 0
      ? [`What was ${whatWas(refused, leftOut)} is in ${report}.`]
      : []),
  ];
  return [line, ...told].join('\n');
};

const whatWas = (refused: number, leftOut: number): string =>
  [...(refused > 0 ? ['refused'] : []), ...(leftOut > 0 ? ['left out or cut'] : [])].join(', ');
