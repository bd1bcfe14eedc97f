import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { region } from '../account.ts';
import { makePrivate, replaceFile } from '../machine/private-file.ts';

// The engines answer every web page that finds them: they look neither at Host nor at Origin. So what it takes to
// find the data is a secret, which is in the engine's address and goes to the tools by the ready file.

/**
 * One of the 16 million addresses by which Linux and Windows reach themselves, all of 127.0.0.0/8 but 127.0.*. A
 * page would have to try each with each of 28,000 ports. macOS has only the one, and there the port alone is hidden.
 */
export const hiddenAddress = (): string =>
  process.platform === 'darwin'
    ? '127.0.0.1'
    : `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;

/**
 * The access key of a database of DynamoDB Local: 128 random bits, kept beside the database. That engine listens on
 * all addresses, but has data of its own for each access key.
 */
export const databaseKey = (file?: string): string => {
  const made = randomBytes(16).toString('hex');
  if (!file) return made;
  const keyFile = `${file}.key`;
  if (!existsSync(keyFile)) replaceFile(keyFile, made);
  const key = readFileSync(keyFile, 'utf8');
  makePrivate(join(dirname(file), `${key}_${region}.db`));
  return key;
};
