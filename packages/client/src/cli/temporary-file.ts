import { rmSync } from 'node:fs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const files = new Set<string>();

/** Does what needs a file for a while. The file is removed at the end, also where that is a signal to the process. */
export const withTemporary = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  if (files.size === 0) for (const signal of signals) process.on(signal, end);
  files.add(file);
  try {
    return await work();
  } finally {
    remove(file);
    files.delete(file);
    if (files.size === 0) ignore();
  }
};

/** Ends the process as without a listener, so that a shell stops its loop. */
const end = (signal: NodeJS.Signals): void => {
  for (const file of files) remove(file);
  ignore();
  process.kill(process.pid, signal);
};

const ignore = (): void => {
  for (const signal of signals) process.off(signal, end);
};

const remove = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // A file that can't be removed could not be written either, and that is told.
  }
};
