import { randomUUID } from 'node:crypto';
import { createReadStream, fstatSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from './cli-error.ts';
import { writeNewFile } from './private-file.ts';
import { withTemporary } from './temporary-file.ts';

/** Does something with the file of an import. It is read more than once, so that of a pipe there is a copy meanwhile. */
export const withInput = async (
  name: string,
  work: (file: string) => Promise<void>,
): Promise<void> => {
  if (!isPipe(name)) return work(name);
  const copy = join(tmpdir(), `leads-import-${randomUUID()}`);
  await withTemporary(copy, async () => {
    await writeNewFile(copy, name === '-' ? process.stdin : createReadStream(name));
    await work(copy);
  });
};

/** Where the report is if nobody says so. Beside a pipe there is no place for it. */
export const reportOf = (name: string): string =>
  isPipe(name) ? 'import.report.csv' : `${name}.report.csv`;

/**
 * Throws `CliError` where writing the report, or the state beside it, would overwrite what is imported, or take the place of
 * a device or a pipe.
 */
export const assertApart = (name: string, report: string): void => {
  if (statusOf(report)?.isFile() === false) {
    throw new CliError(`The report ${report} would not be a file. Name another one.`);
  }
  const file = name === '-' ? fstatSync(0, { bigint: true }) : statusOf(name);
  for (const other of file ? [report, `${report}.state`].map(statusOf) : []) {
    if (other && other.dev === file?.dev && other.ino === file.ino) {
      throw new CliError(`The report ${report} would overwrite the leads. Name another file.`);
    }
  }
};

/** Whether a file is a pipe or a device: it can be read only once, and nothing else can take its place. */
export const isPipe = (name: string): boolean => {
  if (name === '-') return true;
  const status = statusOf(name);
  return status !== undefined && !status.isFile() && !status.isDirectory();
};

const statusOf = (name: string) => statSync(name, { bigint: true, throwIfNoEntry: false });
