import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from './private-file.ts';

/** The locks of this process, kept from being collected. */
const held = new Map<string, DatabaseSync>();

/**
 * Locks a file until this process ends, however it ends: the system lets go of the lock. False where another process has
 * it for `patienceMs`: a process that only asks whether it is taken has it for a moment. Throws where the file can't be
 * made.
 */
export const takeLock = (file: string, patienceMs = 50): boolean => {
  makePrivate(file);
  const database = new DatabaseSync(file, { timeout: patienceMs });
  try {
    // A journal would be a file beside it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    // SQLITE_BUSY
    if ((error as { errcode?: number }).errcode === 5) return false;
    throw error;
  }
  held.set(file, database);
  return true;
};

/** Lets go of a lock of this process before it ends. */
export const releaseLock = (file: string): void => {
  held.get(file)?.close();
  held.delete(file);
};
