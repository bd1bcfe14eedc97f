import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directories = new Set<string>();
const prefix = 'leads-and-stars-';

/**
 * Makes a directory that is removed when this process exits. The first call also removes the directories of processes
 * that were killed, which could not remove their own.
 */
export const temporaryDirectory = async (purpose: string): Promise<string> => {
  if (directories.size === 0) {
    removeStale();
    process.once('exit', () => directories.forEach(remove));
  }
  const directory = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-${purpose}-`));
  directories.add(directory);
  return directory;
};

const removeStale = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) remove(join(tmpdir(), name));
  }
};

/** Signal 0 only asks whether the process exists. `EPERM` means that it does, and belongs to another user. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const remove = (directory: string): void => {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The directory belongs to another user, or a child process that is still ending writes to it. A later process removes it.
  }
};
