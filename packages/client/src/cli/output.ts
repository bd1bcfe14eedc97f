import { createWriteStream, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CliError } from './cli-error.ts';
import { isPipe } from './input.ts';
import { mode, nextOf } from './private-file.ts';
import { withTemporary } from './temporary-file.ts';

/** By this mark spreadsheets know that a file is in UTF-8. */
export const byteOrderMark = '\ufeff';

/** Writes texts to a file, in place of what was there, or to standard output where none is named. */
export const writeText = async (
  file: string | undefined,
  texts: () => AsyncGenerator<string>,
): Promise<void> => {
  if (file === undefined) await pipeline(texts, process.stdout, { end: false });
  else await replaced(file, texts);
};

/** A file that is there stays as it is until all of the new one is written. A pipe is written into. */
const replaced = (file: string, texts: () => AsyncGenerator<string>): Promise<void> => {
  if (isPipe(file)) {
    assertTrusted(file);
    return writing(file, () => pipeline(texts, createWriteStream(file)));
  }
  const next = nextOf(file);
  return withTemporary(next, () =>
    writing(file, async () => {
      await pipeline(texts, createWriteStream(next, { mode, flags: 'wx' }));
      await rename(next, file);
    }),
  );
};

/** Whoever made a pipe may read what is written into it. */
const assertTrusted = (pipe: string): void => {
  const { uid } = statSync(pipe);
  if ([0, process.getuid?.() ?? 0].includes(uid)) return;
  throw new CliError(`${pipe} is of another user, who could read the leads.`);
};

const writing = async (file: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall ? new CliError(`${file} can’t be written: ${message}`) : error;
  }
};
