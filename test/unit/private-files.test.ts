import { execFileSync } from 'node:child_process';
import { chownSync, readdirSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from '../../packages/client/src/cli/connection.ts';
import { exportAll } from '../../packages/client/src/cli/export.ts';
import { Journal } from '../../packages/client/src/cli/journal.ts';
import { writeReport } from '../../packages/client/src/cli/report.ts';

// What another user prepared in the same directory is not written into, and not believed.

const makeDirectory = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-private-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = (name: string) => join(directory, name);
  await writeFile(path('victim'), 'as it was');
  const victim = () => readFile(path('victim'), 'utf8');
  return { path, victim, names: () => readdirSync(directory).sort() };
};

/** Only its user may read it, and it is no link. */
const isPrivate = (file: string) => (statSync(file).mode & 0o777) === 0o600;

const openJournal = (file: string) => Journal.open(file, {} as never, true);

const exportTo = async (file: string) => {
  const lead = { contact_name: 'Ana', tags: [], fields: {} };
  const server = createServer((_, answer) =>
    answer
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ items: [lead], next_cursor: null })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const where = { baseUrl: `http://127.0.0.1:${port}/v1`, organization: 'o' };
  return exportAll(new Connection(where, { LEADS_TOKEN: 't' }), file, 'ndjson');
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
  expect(await exportTo(path('leads'))).toBe(1);
  expect(await readFile(path('leads'), 'utf8')).toContain('Ana');
  expect([await victim(), isPrivate(path('leads'))]).toEqual(['as it was', true]);
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
