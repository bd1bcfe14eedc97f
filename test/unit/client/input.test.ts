import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { link, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  assertApart,
  isPipe,
  reportOf,
  withInput,
} from '../../../packages/client/src/cli/input.ts';
import { given } from '../../support/command-line.ts';
import { serverOf } from '../../support/server.ts';
import { makeDirectory } from './support.ts';

test('a pipe is read as often as a file is, and its report is in the working directory', {
  tags: ['posix'],
}, async () => {
  const path = await makeDirectory();
  execFileSync('mkfifo', [path('pipe')]);
  const writing = writeFile(path('pipe'), 'contact_name\nAna\n');
  let copy = '';
  await withInput(path('pipe'), async (file) => {
    copy = file;
    for (let times = 0; times < 2; times++) {
      expect(await readFile(file, 'utf8')).toBe('contact_name\nAna\n');
    }
  });
  await writing;
  expect(existsSync(copy)).toBe(false);
  expect(reportOf(path('pipe'))).toBe('import.report.csv');
});

test('standard input is copied for its user alone, and read as often as a file is', {
  tags: ['posix'],
}, async () => {
  const stdin = vi.spyOn(process, 'stdin', 'get');
  onTestFinished(() => stdin.mockRestore());
  stdin.mockReturnValue(Readable.from(['contact_name\n', 'Ana\n']) as never);
  let copy = '';
  await withInput('-', async (file) => {
    copy = file;
    for (let times = 0; times < 2; times++) {
      expect(await readFile(file, 'utf8')).toBe('contact_name\nAna\n');
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
  expect(existsSync(copy)).toBe(false);
  expect([reportOf('-'), isPipe('-'), isPipe(copy)]).toEqual(['import.report.csv', true, false]);
  // What standard input is here is none of these.
  for (const report of ['no-such.csv', import.meta.filename]) {
    expect(() => assertApart('-', report)).not.toThrow();
  }
});

test('of standard input that fails, no copy is left', { tags: ['posix'] }, async () => {
  const path = await makeDirectory();
  vi.stubEnv('TMPDIR', path('.'));
  const stdin = vi.spyOn(process, 'stdin', 'get');
  onTestFinished(() => {
    stdin.mockRestore();
    vi.unstubAllEnvs();
  });
  for (let i = 0; i < 20; i++) {
    const failing = new Readable({ read: () => failing.destroy(new Error('gone')) });
    stdin.mockReturnValue(failing as never);
    await expect(withInput('-', async () => {})).rejects.toThrow('gone');
  }
  await writeFile(path('other'), '');
  expect(readdirSync(path('.'))).toEqual(['other']);
});

test.each(['leads.csv', '.', 'no-such.csv'])('%s is read where it is', async (name) => {
  const path = await makeDirectory();
  await writeFile(path('leads.csv'), 'contact_name\nAna\n');
  let read = '';
  await withInput(path(name), async (file) => {
    read = file;
  });
  expect(read).toBe(path(name));
  expect(existsSync(path('leads.csv'))).toBe(true);
  expect(reportOf(path(name))).toBe(`${path(name)}.report.csv`);
});

test.each(['leads.csv', 'linked.csv', 'hard.csv', 'named'])(
  'a report in %s is refused: it would overwrite the leads',
  { tags: ['posix'] },
  async (report) => {
    const path = await makeDirectory();
    const file = path('leads.csv');
    await writeFile(file, 'contact_name\n');
    await symlink(file, path('linked.csv'));
    await link(file, path('hard.csv'));
    await link(file, path('named.state'));
    expect(() => assertApart(file, path(report))).toThrow('would overwrite the leads');
  },
);

test('a report is in a file, and takes the place of nothing else', {
  tags: ['posix'],
}, async () => {
  const path = await makeDirectory();
  await writeFile(path('leads.csv'), 'contact_name\n');
  execFileSync('mkfifo', [path('pipe')]);
  const file = path('leads.csv');
  for (const report of ['/dev/null', path('pipe'), path('.')]) {
    expect(() => assertApart(file, report)).toThrow('would not be a file');
  }
  await writeFile(path('old.csv'), '');
  for (const report of [path('old.csv'), path('new.csv'), reportOf(file)]) {
    expect(() => assertApart(file, report)).not.toThrow();
  }
});

const main = join(import.meta.dirname, '../../../packages/client/src/cli/main.ts');

/** Stops a command once there is something in its directory; returns how it ended, and what it left there. */
const stopped = async (signal: NodeJS.Signals, args: string[], baseUrl: string) => {
  const path = await makeDirectory();
  const where = ['--base-url', baseUrl, '--organization', crypto.randomUUID()];
  const child = spawn(process.execPath, [main, ...args, ...where], {
    cwd: path('.'),
    env: { ...given, TMPDIR: path('.'), LEADS_TOKEN: 't' },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.write('contact_name\nAna\n');
  const exited = once(child, 'exit');
  while (
    child.exitCode === null &&
    child.signalCode === null &&
    readdirSync(path('.')).length === 0
  )
    await wait(5);
  const left = () =>
    readdirSync(path('.')).map((name) =>
      name.replace(/import-.+/, 'import-id').replace(/[\da-f-]{36}/, 'id'),
    );
  const before = left();
  child.kill(signal);
  const [, by] = await exited;
  return { before, after: left(), by };
};

test('a signal ends an import of a pipe, and leaves no copy of it', {
  tags: ['posix'],
}, async () => {
  expect(await stopped('SIGINT', ['import', '-'], 'http://service.test/v1')).toEqual({
    before: ['leads-import-id'],
    after: [],
    by: 'SIGINT',
  });
});

test('a signal ends an export, and leaves no part of its file', { tags: ['posix'] }, async () => {
  const args = ['export', 'leads.ndjson', '--format', 'ndjson'];
  const silent = await serverOf(() => {});
  expect(await stopped('SIGTERM', args, `${silent}/v1`)).toEqual({
    before: ['leads.ndjson.id.new'],
    after: [],
    by: 'SIGTERM',
  });
});

test('a signal ends what writes a person, and leaves no part of its file', {
  tags: ['posix'],
}, async () => {
  let asked = 0;
  const silentLater = await serverOf((_, answer) => {
    if (asked++ === 0) answer.end('{"items":[],"next_cursor":null}');
  });
  const args = ['person', crypto.randomUUID(), 'person.json'];
  expect(await stopped('SIGTERM', args, `${silentLater}/v1`)).toEqual({
    before: ['person.json.id.new'],
    after: [],
    by: 'SIGTERM',
  });
});
