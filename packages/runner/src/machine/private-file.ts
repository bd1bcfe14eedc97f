import {
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

// The runner's files have tokens and contacts in them: other users of the machine can't read them.

/** Makes sure that a file is there, and that only its owner can read it. A device or a pipe is left as it is. */
export const makePrivate = (file: string): void => {
  const descriptor = openSync(file, 'a', 0o600);
  if (fstatSync(descriptor).isFile()) fchmodSync(descriptor, 0o600);
  closeSync(descriptor);
};

/** Makes a directory private, with those above it that are missing. */
export const makePrivateDirectory = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
};

/** Writes a private file so that nobody ever reads half of it, and readers of the old file can't read the new file. */
export const replaceFile = (file: string, text: string): void => {
  const next = `${file}.tmp`;
  rmSync(next, { force: true });
  writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
  renameSync(next, file);
};
