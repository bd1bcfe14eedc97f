import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, type Storage, takeLock } from '@leads-and-stars/runner';

/** The options that say where the data is. */
export interface StorageOptions {
  db?: string | undefined;
  memory: boolean;
  'dynamodb-endpoint'?: string | undefined;
}

/** Where these options say; undefined for the usual file. */
export const storageOf = ({
  db,
  memory,
  'dynamodb-endpoint': endpoint,
}: StorageOptions): Storage | undefined => {
  if (Number(db !== undefined) + Number(memory) + Number(endpoint !== undefined) > 1) {
    throw new CliError('Give one of --db, --memory and --dynamodb-endpoint.');
  }
  if (memory) return 'memory';
  if (db !== undefined) return { file: db };
  if (endpoint === undefined) return undefined;
  if (!URL.canParse(endpoint)) throw new CliError('--dynamodb-endpoint takes a URL.');
  return { endpoint };
};

/** Two services on one file would number and send each change twice. Throws, in words, where another has it. */
export const lockDatabase = (file: string): void => {
  let isOurs: boolean;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    isOurs = takeLock(`${file}.lock`);
  } catch (error) {
    throw new CliError(`No database can be kept at --db ${file}: ${(error as Error).message}`);
  }
  if (!isOurs) throw new CliError(`Another service has --db ${file}: give another file.`);
};
