import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set<string>();
const prefix = 'leads-and-stars-';

/**
 * Makes a directory, which is removed when this process ends, also where that is stopped while it starts. The first one
 * also removes what processes that were killed have left.
 */
export const temporaryDirectory = async (purpose: string): Promise<string> => {
  if (made.size === 0) {
    removeLeft();
    process.once('exit', () => made.forEach(remove));
  }
  const directory = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-${purpose}-`));
  made.add(directory);
  return directory;
};

const removeLeft = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) remove(join(tmpdir(), name));
  }
};

/** A process of another user can't be sent anything, but is there. */
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
    // Another user's, or one that is still being written to by a process that ends a moment after this.
  }
};
