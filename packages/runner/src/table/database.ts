import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

// Dynoxide keeps its data with SQLite. It numbers a stream's record by the greatest number of all before it, and looks
// through all of them for it, at each write: of 6,000 records, a write took ten times as long as of none. It reads them
// all for each GetRecords, too. An index mends both, but can only be made from outside, in a file.

const sequenceNumber = 'CAST(sequence_number AS INTEGER)';

/** Makes the index that dynoxide 1.2.1 lacks, in the database of a running dynoxide. */
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
const memoryDirectory = '/dev/shm';
/** With less free memory, as a container often has, the data might not fit. */
const enoughBytes = 2 * 1024 ** 3;

/** The path of a new database in memory. Undefined where the machine has no such directory, or too little memory. */
export const pathInMemory = (): string | undefined => {
  if (!existsSync(memoryDirectory)) return undefined;
  const { bavail, bsize } = statfsSync(memoryDirectory);
  if (bavail * bsize < enoughBytes) return undefined;
  return join(mkdtempSync(join(memoryDirectory, 'runner-')), 'database');
};

/** Removes the file's name only. Dynoxide has it open, so its data lives as long as that process, however it ends. */
export const unlinkFile = (file: string): void => rmSync(dirname(file), { recursive: true });
