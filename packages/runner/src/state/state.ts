import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { CliError } from '../machine/cli-error.ts';
import { makePrivate } from '../machine/private-file.ts';
import type { Storage } from '../table/engine.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS places (name TEXT PRIMARY KEY, place TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS messages (
    position INTEGER PRIMARY KEY, queue TEXT NOT NULL, source TEXT, id TEXT NOT NULL, body TEXT NOT NULL, "group" TEXT,
    sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL, receive_count INTEGER NOT NULL, failures INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS messages_by_queue ON messages (queue);
  CREATE TABLE IF NOT EXISTS sent (
    queue TEXT, digest TEXT, id TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (queue, digest)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS sent_by_time ON sent (until);
`;

/**
 * The state that the runner needs again after it has ended, in whatever way: messages, and places such as how far a
 * stream was read. It is in a file, written and synced before a call returns; without a file, in memory. Throws where
 * another runner has the file, or it is something else.
 */
export class State {
  readonly database: DatabaseSync;
  readonly #place;
  readonly #setPlace;

  constructor(file?: string) {
    this.database = file ? openFile(file) : new DatabaseSync(':memory:');
    this.database.exec(schema);
    this.#place = this.database.prepare('SELECT place FROM places WHERE name = ?');
    this.#setPlace = this.database.prepare('INSERT OR REPLACE INTO places VALUES (?, ?)');
  }

  /** The place that was noted for a name; undefined where there is none. */
  place(name: string): string | undefined {
    return this.#place.get(name)?.place as string | undefined;
  }

  setPlace(name: string, place: string): void {
    this.#setPlace.run(name, place);
  }

  /** Keeps all that the work writes, or nothing. */
  transaction<T>(work: () => T): T {
    if (this.database.isTransaction) return work();
    this.database.exec('BEGIN');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.database.close();
  }
}

/**
 * The file of the state that belongs to a table, by its stream's ARN; undefined where nothing is to be kept. A database
 * that is moved away and a new database in its place have a file each.
 */
export const stateFileOf = (storage: Storage, streamArn: string): string | undefined => {
  if (storage === 'memory') return undefined;
  const file = 'file' in storage ? `${storage.file}.state` : storage.stateFile;
  const digest = createHash('sha256').update(streamArn).digest('hex');
  return file && `${file}-${digest.slice(0, 8)}`;
};

/** How long another runner may take to end. */
const patienceMs = 500;

const openFile = (file: string): DatabaseSync => {
  makePrivate(file);
  const database = new DatabaseSync(file, { timeout: patienceMs });
  try {
    // In this mode, the first statement takes the file's lock, until it is closed. VACUUM gives back what a backlog took.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; VACUUM');
  } catch (error) {
    database.close();
    const { errcode, message } = error as Error & { errcode?: number };
    const isBusy = errcode === 5;
    throw new CliError(
      isBusy ? `Another runner has ${file}.` : `${file} is of no use (${message}): move it away.`,
    );
  }
  return database;
};
