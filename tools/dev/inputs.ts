import { statSync, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';

/** Of the project. */
export const root = join(import.meta.dirname, '../..');

/** Files by their paths from the root, each with its size and time. */
export type Inputs = Record<string, string>;

const fileAt = (path: string) => statSync(join(root, path), { throwIfNoEntry: false });

const asItIs = (path: string): string => {
  const file = fileAt(path);
  return `${file?.size} ${file?.mtimeMs}`;
};

/**
 * These files as they are. One that has changed since `from`, in milliseconds since the epoch, may have been read before
 * its change or after it: it counts as another one from then on.
 */
export const inputsOf = (paths: readonly string[], from: number): Inputs => {
  const asRead = (path: string) =>
    Number(fileAt(path)?.mtimeMs) >= from ? 'unknown' : asItIs(path);
  return Object.fromEntries(paths.map((path) => [path, asRead(path)]));
};

/** Whether none of these files has changed. */
export const areAsBefore = (inputs: Inputs): boolean =>
  Object.entries(inputs).every(([path, before]) => asItIs(path) === before);

/** Milliseconds between two looks at a file. Not every file system tells of changes. */
const interval = 300;

/** Calls once when a file of the project itself changes, dependencies apart. Answers how to end that. */
export const onceChanged = (inputs: Inputs, changed: () => void): (() => void) => {
  const own = Object.entries(inputs).filter(([path]) => !path.includes('node_modules/'));
  const files = own.map(([path]) => join(root, path));
  let told = false;
  const end = () => {
    for (const file of files) unwatchFile(file);
  };
  const tell = () => {
    end();
    if (!told) changed();
    told = true;
  };
  for (const file of files) watchFile(file, { interval, persistent: false }, tell);
  // What changed since they were read.
  if (!areAsBefore(Object.fromEntries(own))) tell();
  return end;
};
