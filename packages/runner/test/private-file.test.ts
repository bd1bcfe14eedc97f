import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  adminClient,
  ensureTable,
  makePrivate,
  Processes,
  replaceFile,
  startEngine,
} from '@leads-and-stars/runner';
import { afterAll, expect, test } from 'vitest';
import { ownDirectory } from './support.ts';
import { aTable } from './table-properties.ts';

// Tokens and contacts, which no other user of the machine is to read, whatever was there before.

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** The files of a directory that others may read, but those that went meanwhile. */
const notPrivateIn = (directory: string) =>
  readdirSync(directory).filter((name) => {
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    return found && (found.mode & 0o777) !== 0o600;
  });

const directory = ownDirectory();

test('a file that is replaced is private, whatever an older one or half of a new one was', () => {
  const file = join(directory, 'replaced');
  writeFileSync(file, 'old', { mode: 0o644 });
  writeFileSync(`${file}.tmp`, 'of a run that was killed while it wrote', { mode: 0o644 });
  replaceFile(file, 'new');
  expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['new', '600']);
  expect(existsSync(`${file}.tmp`)).toBe(false);
});

test('what is not a file keeps its mode, such as a pipe that takes the events', async () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', ['-m', '644', pipe]);
  const reader = spawn('cat', [pipe]);
  makePrivate(pipe);
  expect(modeOf(pipe)).toBe('644');
  await once(reader, 'exit');
});

const processes = new Processes();
afterAll(() => processes.close());

test('a database that is there with wider modes is made private, and kept', async () => {
  const place = join(directory, 'new/place');
  const file = join(place, 'database');
  await ensureTable(await startEngine(processes, { file }), aTable);
  expect([modeOf(place), notPrivateIn(place)]).toEqual(['700', []]);
  for (const name of readdirSync(place)) chmodSync(join(place, name), 0o644);
  expect(notPrivateIn(place)).toContain('database');
  const second = adminClient(await startEngine(processes, { file }));
  expect((await second.send(new ListTablesCommand())).TableNames).toEqual([aTable.TableName]);
  expect(notPrivateIn(place)).toEqual([]);
});
