import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

// Dynoxide keeps its data with SQLite. It numbers a stream's record by the greatest number of all before it, and looks
// through all of them for it, at each write: of 6,000 records, a write took ten times as long as of none. It reads them
// all for each GetRecords, too. An index mends both, but can only be made from outside, in a file.

const sequenceNumber = 'CAST(sequence_number AS INTEGER)';

/** Makes the index that dynoxide 1.2.1 lacks, in the database of one that runs. */
export const indexStream = (file: string): void => {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    database.exec(
      `CREATE INDEX IF NOT EXISTS stream_by_sequence ON _stream_records (table_name, ${sequenceNumber})`,
    );
  } finally {
    database.close();
  }
};

/** Linux's file system in memory. */
const memory = '/dev/shm';
/** With less, as a container often has, the data might not fit. */
const enoughBytes = 2 * 1024 ** 3;

/** A place in memory for a database's file; undefined where there is none, or not enough. */
export const fileInMemory = (): string | undefined => {
  if (!existsSync(memory)) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < enoughBytes) return undefined;
  return join(mkdtempSync(join(memory, 'runner-')), 'database');
};

/** Takes away its name: whoever has it open keeps it, and it is gone with them, however they end. */
export const forgetFile = (file: string): void => rmSync(dirname(file), { recursive: true });
