import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { given } from '../../support/command-line.ts';
import { serverOf } from '../../support/server.ts';
import { makeDirectory } from './support.ts';

const main = join(import.meta.dirname, '../../../packages/client/src/cli/main.ts');

/** A directory to export into, and an export there of what a service answers so. */
const exporting = async (answer: RequestListener) => {
  const directory = (await makeDirectory())('.');
  const baseUrl = `${await serverOf(answer)}/v1`;
  const begin = (file: string, more: string[] = []) => {
    const where = ['--base-url', baseUrl, '--organization', crypto.randomUUID()];
    const args = ['export', file, '--format', 'ndjson', ...where, ...more];
    const env = { ...given, LEADS_TOKEN: 't' };
    const child = spawn(process.execPath, [main, ...args], { cwd: directory, env });
    return { child, ended: once(child, 'exit') };
  };
  return { directory, begin };
};

const page = (answer: ServerResponse, contact_name: string, next_cursor: string | null) =>
  answer
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ items: [{ contact_name, tags: [], fields: {} }], next_cursor }));

const names = (lines: string): string[] =>
  lines.split('\n').flatMap((line) => (line ? JSON.parse(line).contact_name : []));

test.each([
  ['each is whole, and with --force the last one stays', ['--force'], ['first', 'last'], 0],
  ['the one that ends first stays', [], ['other'], 1],
])('of two exports into one file at once, %s', async (_, more, stays, code) => {
  // The first gets its second page once the other has ended.
  let begun = 0;
  let held: ServerResponse | undefined;
  const { directory, begin } = await exporting(({ url }, answer) => {
    if (url?.includes('cursor=')) held = answer;
    else if (begun++ === 0) page(answer, 'first', 'next');
    else page(answer, 'other', null);
  });
  const isHeld = async () => {
    const [part] = readdirSync(directory);
    return held && part !== undefined && (await stat(join(directory, part))).size > 0;
  };
  const { child, ended } = begin('leads.ndjson', more);
  while (child.exitCode === null && child.signalCode === null && !(await isHeld())) await wait(5);
  const read = async () => names(await readFile(join(directory, 'leads.ndjson'), 'utf8'));
  expect(await begin('leads.ndjson', more).ended).toEqual([0, null]);
  expect(await read()).toEqual(['other']);
  page(held!, 'last', null);
  expect(await ended).toEqual([code, null]);
  expect(await read()).toEqual(stays);
  expect(readdirSync(directory)).toEqual(['leads.ndjson']);
});

test('an export into a pipe is read from it, and leaves it there', {
  tags: ['posix'],
}, async () => {
  const { directory, begin } = await exporting((_, answer) => page(answer, 'Ana', null));
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { child, ended } = begin('pipe');
  const said = text(child.stdout);
  const reading = spawn('cat', [pipe], { timeout: 10_000 });
  expect(names(await text(reading.stdout))).toEqual(['Ana']);
  expect([await ended, await said]).toEqual([[0, null], '']);
  expect((await stat(pipe)).isFIFO()).toBe(true);
});
