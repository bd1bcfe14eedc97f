import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { given } from '../../support/command-line.ts';
import { serverOf } from '../../support/server.ts';
import { makeDirectory } from './support.ts';

const main = join(import.meta.dirname, '../../../packages/client/src/cli/main.ts');

/** Starts a command with a service that answers so, in a directory of its own. */
const start = async (answer: RequestListener, args: string[], stdout: unknown = 'pipe') => {
  const path = await makeDirectory();
  await writeFile(path('leads.csv'), 'contact_name,Pipeline\nAna,p\nRui,p\n');
  const where = ['--base-url', `${await serverOf(answer)}/v1`];
  where.push('--organization', crypto.randomUUID());
  const env = { ...given, LEADS_TOKEN: 't' };
  const options = {
    cwd: path('.'),
    env,
    stdio: ['pipe', stdout, 'pipe'] as ['pipe', 'pipe', 'pipe'],
  };
  const child = spawn(process.execPath, [main, ...args, ...where], options);
  return { path, child: child as ChildProcessWithoutNullStreams, ended: once(child, 'exit') };
};

test.each([
  ['export', []],
  ['audit', ['--from', '2026-01-01']],
])('a reader that goes away ends an %s quietly', async (verb, more) => {
  let pages = 0;
  const item = { contact_name: 'Ana', tags: [], fields: {}, type: 'lead.created' };
  const items = Array(2000).fill(item);
  const answer: RequestListener = (_, response) => {
    const page = { feed_id: 'f', last_sequence: ++pages, has_more: true, next_cursor: 'next' };
    response.end(JSON.stringify({ ...page, items }));
  };
  const { child, ended } = await start(answer, [verb, '--format', 'ndjson', ...more]);
  const failure = text(child.stderr);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect([await ended, await failure]).toEqual([[0, null], '']);
});

const isFull = existsSync('/dev/full');

test.runIf(isFull)('a disk that is full ends an export with a sentence', async () => {
  const page = { items: [{ contact_name: 'Ana', tags: [], fields: {} }], next_cursor: null };
  const answer: RequestListener = (_, response) => void response.end(JSON.stringify(page));
  const full = openSync('/dev/full', 'w');
  const { child, ended } = await start(answer, ['export', '--format', 'ndjson'], full);
  const failure = await text(child.stderr);
  closeSync(full);
  expect([await ended, failure]).toEqual([
    [1, null],
    expect.stringMatching(/^The output can’t be written: ENOSPC: .*\n$/),
  ]);
});

test('a reader that goes away does not keep an import from its end', async () => {
  const sent: unknown[] = [];
  const held = Promise.withResolvers<() => void>();
  const answer: RequestListener = async (request, response) => {
    const body = (request.method === 'POST' ? await json(request) : {}) as {
      dry_run?: boolean;
      leads?: unknown[];
    };
    const items = body.leads?.map(() => ({ status: 201 })) ?? [];
    const end = () => void response.end(JSON.stringify({ items, user_id: 'u' }));
    if (!body.leads || body.dry_run) return end();
    sent.push(...body.leads);
    held.resolve(end);
  };
  const pipeline = ['--map', 'Pipeline=pipeline_id'];
  const { path, child, ended } = await start(answer, ['import', 'leads.csv', ...pipeline]);
  const end = await held.promise;
  child.stdout.destroy();
  child.stderr.destroy();
  end();
  expect([await ended, sent.length]).toEqual([[0, null], 2]);
  const report = await readFile(path('leads.csv.report.csv'), 'utf8');
  expect(report).toBe('line,code,field,message\n');
});
