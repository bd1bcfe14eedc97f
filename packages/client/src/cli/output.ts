import { createWriteStream, existsSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CliError } from './cli-error.ts';
import { isPipe } from './input.ts';
import { moveAlone, nextOf, writeNewFile } from './private-file.ts';
import { isReaderGone } from './readers.ts';
import { withTemporary } from './temporary-file.ts';

/** By this mark spreadsheets know that a file is in UTF-8. */
export const byteOrderMark = '\ufeff';

/**
 * Writes texts to a file, or to standard output where none is named. With `force` it takes the place of a file that is there;
 * else that is kept, and a `CliError`.
 */
export const writeText = async (
  file: string | undefined,
  texts: () => AsyncGenerator<string>,
  force = false,
): Promise<void> => {
  if (file === undefined) await pipeline(texts, process.stdout, { end: false });
  else await written(file, texts, force);
};

/** A file is there once all of it is written. A pipe is written into. */
const written = (
  file: string,
  texts: () => AsyncGenerator<string>,
  force: boolean,
): Promise<void> => {
  if (isPipe(file)) {
    assertTrusted(file);
    return writing(file, () => pipeline(texts, createWriteStream(file)));
  }
  const next = nextOf(file);
  return withTemporary(next, () =>
    writing(file, async () => {
      await writeNewFile(next, texts);
      if (force) await rename(next, file);
      else moveAlone(next, file, () => isThere(file));
    }),
  );
};

/** Throws `CliError` for a folder, and for a file that is there and is to be kept, before anything is read. */
export const assertFree = (file: string | undefined, force = false): void => {
  if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CliError(`${file} is a folder. Name a file in it.`);
  }
  if (file !== undefined && !force && !isPipe(file) && existsSync(file)) throw isThere(file);
};

const isThere = (file: string): CliError =>
  new CliError(`${file} is there already, and is kept. Name another file, or say --force.`);

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
    if (isReaderGone(error)) throw error;
    throw syscall ? new CliError(`${file} can’t be written: ${message}`) : error;
  }
};
