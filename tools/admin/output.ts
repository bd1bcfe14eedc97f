import type { Command } from 'commander';
import { printable } from '../cli/terminal-text.ts';
import type { GlobalOptions } from './target.ts';

/** A row of a table, with its columns in order. */
export type Row = Record<string, string | number | null>;

/** Prints an answer: unchanged for scripts, as a table for people. */
export const print = (command: Command, answer: unknown, rows: readonly Row[]): void => {
  const { json } = command.optsWithGlobals<GlobalOptions>();
  console.log(printable(json ? JSON.stringify(answer, null, 2) : table(rows)));
};

/** Aligned columns under their names, with numbers at the right. */
const table = (rows: readonly Row[]): string => {
  const [first] = rows;
  if (!first) return '(none)';
  const columns = Object.keys(first).map((name) => {
    const cells = rows.map((row) =>
      printable(String(row[name] ?? '-')).replaceAll('\n', '\\u000a'),
    );
    const width = Math.max(name.length, ...cells.map((cell) => cell.length));
    const right = rows.every((row) => typeof row[name] === 'number');
    const pad = (cell: string) => (right ? cell.padStart(width) : cell.padEnd(width));
    return [pad(name), ...cells.map(pad)];
  });
  const lines = Array.from({ length: rows.length + 1 }, (_, i) =>
    columns.map((column) => column[i]).join('  '),
  );
  return lines.map((line) => line.trimEnd()).join('\n');
};
