import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError } from './cli-error.ts';

// Other users may write to the same directory, and prepare a file or a link at each name that they can guess.

/** The name of a file that is to take the place of another. */
export const nextOf = (file: string): string => `${file}.${randomUUID()}.new`;

/** The mode of a file that this process makes, for its user alone. */
const mode = 0o600;

/** Makes a file. Throws if the file, or a link, is there. Once the file is there, it is whole, even if the power fails. */
export const makeFile = (file: string, text: string): void => {
  assertFolder(file);
  writeFileSync(file, text, { mode, flag: 'wx', flush: true });
};

/**
 * Makes a file for its user alone, piece by piece. Opens it first: a stream that fails while its file is being opened makes that
 * file all the same, after it was removed.
 */
export const writeNewFile = async (
  file: string,
  texts: Readable | (() => AsyncGenerator<string>),
): Promise<void> => {
  assertFolder(file);
  await pipeline(texts, (await open(file, 'wx', mode)).createWriteStream());
};

/** Throws `CliError` where a file is to be made in a folder that is not there. */
const assertFolder = (file: string): void => {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new CliError(`There is no folder ${folder}.`);
};

/** Takes the place of a file, or of a link: nothing is written into what is there. */
export const replaceFile = (file: string, text: string): void => replaceIf(file, text, () => {});

/** Replaces a file that this user made. Throws `CliError` for a link, and for a file of another user. */
export const replaceOwnFile = (file: string, text: string): void =>
  replaceIf(file, text, (next) => {
    const [before, own] = [lstatSync(file), lstatSync(next)];
    if (before.isFile() && before.uid === own.uid) return;
    throw new CliError(`${file} is a link, or another user made it. It is not used.`);
  });

/** Gives a file its name. Throws `isThere()` where another has that by now: a rename would take its place. */
export const moveAlone = (from: string, to: string, isThere: () => Error): void => {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      rmSync(from);
      throw isThere();
    }
    // Not every file system has links.
    renameSync(from, to);
  }
  rmSync(from, { force: true });
};

const replaceIf = (file: string, text: string, assert: (next: string) => void): void => {
  const next = nextOf(file);
  try {
    makeFile(next, text);
    assert(next);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
};

/** Windows has no such links. */
const appending = constants.O_APPEND | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/** Adds to a file that is there. */
export const appendTo = (file: string, text: string): void => {
  const descriptor = openSync(file, appending);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
};
