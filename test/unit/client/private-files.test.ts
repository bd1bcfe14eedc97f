import { execFileSync } from 'node:child_process';
import { chownSync, readdirSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { exportAll } from '../../../packages/client/src/cli/export.ts';
import { Journal } from '../../../packages/client/src/cli/journal.ts';
import { writeReport } from '../../../packages/client/src/cli/report.ts';
import { connectionTo, makeDirectory as makeEmptyDirectory } from './support.ts';

// @module-tag posix

// What another user prepared in the same directory is not written into, and not believed.

const makeDirectory = async () => {
  const path = await makeEmptyDirectory();
  await writeFile(path('victim'), 'as it was');
  const victim = () => readFile(path('victim'), 'utf8');
  return { path, victim, names: () => readdirSync(path('.')).sort() };
};

/** Only its user may read it, and it is no link. */
const isPrivate = (file: string) => (statSync(file).mode & 0o777) === 0o600;

const openJournal = (file: string) => Journal.open(file, {} as never, true);

const exportTo = (file: string, force = false) => {
  const items = [{ contact_name: 'Ana', tags: [], fields: {} }];
  const connection = connectionTo(() => Response.json({ items, next_cursor: null }));
  return exportAll(connection, file, { format: 'ndjson', force });
};

test('a report takes the place of a link, and uses none beside it', async () => {
  const { path, victim, names } = await makeDirectory();
  for (const name of ['report.csv', 'report.csv.new']) symlinkSync(path('victim'), path(name));
  writeReport(path('report.csv'), []);
  expect(await readFile(path('report.csv'), 'utf8')).toBe('line,code,field,message\n');
  expect([await victim(), isPrivate(path('report.csv'))]).toEqual(['as it was', true]);
  expect(names()).toEqual(['report.csv', 'report.csv.new', 'victim']);
});

test('an export takes the place of a link, and uses none beside it', async () => {
  const { path, victim } = await makeDirectory();
  for (const name of ['leads', 'leads.new', `leads.${process.pid}.new`]) {
    symlinkSync(path('victim'), path(name));
  }
  expect(await exportTo(path('leads'), true)).toBe(1);
  expect(await readFile(path('leads'), 'utf8')).toContain('Ana');
  expect([await victim(), isPrivate(path('leads'))]).toEqual(['as it was', true]);
});

test('an export keeps what is there, also a link to nothing, unless told', async () => {
  const { path, victim, names } = await makeDirectory();
  symlinkSync(path('nothing'), path('leads'));
  for (const name of ['victim', 'leads']) {
    await expect(exportTo(path(name))).rejects.toThrow(`${name} is there already, and is kept.`);
  }
  expect([await victim(), names()]).toEqual(['as it was', ['leads', 'victim']]);
  expect(await exportTo(path('new'))).toBe(1);
  expect([isPrivate(path('new')), names()]).toEqual([true, ['leads', 'new', 'victim']]);
});

test('a journal goes on in a file of its own, whatever is beside it', async () => {
  const { path, victim, names } = await makeDirectory();
  openJournal(path('state'));
  symlinkSync(path('victim'), path('state.new'));
  const journal = openJournal(path('state'));
  journal.sending(0);
  expect(await readFile(path('state'), 'utf8')).toContain('"sent":0');
  expect([await victim(), isPrivate(path('state'))]).toEqual(['as it was', true]);
  // Where a link takes its place meanwhile, nothing more is written.
  renameSync(path('state'), path('away'));
  symlinkSync(path('victim'), path('state'));
  expect(() => journal.sending(1)).toThrow(/state can’t be written: ELOOP/);
  expect(await victim()).toBe('as it was');
  expect(names()).toEqual(['away', 'state', 'state.new', 'victim']);
});

test('a journal that is a link is refused', async () => {
  const { path, names } = await makeDirectory();
  openJournal(path('prepared'));
  symlinkSync(path('prepared'), path('state'));
  expect(() => openJournal(path('state'))).toThrow('state is a link, or another user made it');
  expect(names()).toEqual(['prepared', 'state', 'victim']);
});

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)('a journal of another user is refused', async () => {
  const { path } = await makeDirectory();
  openJournal(path('state'));
  openJournal(path('state'));
  chownSync(path('state'), 12_345, 12_345);
  expect(() => openJournal(path('state'))).toThrow('state is a link, or another user made it');
});

test.skipIf(!isRoot)('an export into a pipe of another user is refused', async () => {
  const { path } = await makeDirectory();
  execFileSync('mkfifo', [path('pipe')]);
  chownSync(path('pipe'), 12_345, 12_345);
  await expect(exportTo(path('pipe'))).rejects.toThrow('pipe is of another user');
});
