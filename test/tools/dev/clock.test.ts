import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import type { Ready } from '../../../tools/service/ready-file.ts';
import { given } from '../../support/command-line.ts';
import { type Command, dev, useCommands } from './commands.ts';
import { eventually, ownDirectory, root } from './support.ts';

// A service with a clock of its own, as docs/clock.md runs it: what the runner does is tried in packages/runner.

useCommands();

const page = readFileSync(join(root, 'docs/clock.md'), 'utf8');
const [begin = '', ...blocks] = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(
  ([, block = '']) => block,
);
const begins = /--clock (\S+)/.exec(begin)?.[1] ?? '';

const directory = ownDirectory();
const start = (time: string): Command => dev(['--port', '0', '--clock', time], { cwd: directory });

/** Runs a script beside the service, in a shell that ends at what fails. */
const run = async (script: string) => {
  const tool = (file: string) => `"${process.execPath}" "${join(root, 'tools', file)}"`;
  const own = script
    .replaceAll(/npm run -s clock( --)?/g, tool('dev/clock.ts'))
    .replaceAll('npm run -s admin --', tool('admin/main.ts'));
  const shell = spawn('sh', ['-ec', own], { cwd: directory, env: given });
  const [stdout, stderr, [code]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'close'),
  ]);
  return { stdout, stderr, code };
};

const stop = async (running: Command): Promise<void> => {
  running.kill('SIGTERM');
  await running.gone();
};

/** Each month's grant stands at its own time in the statement, before and after it is written, and in history and feed. */
const expectMonths = async (running: Command, keyAndCustomer: string): Promise<void> => {
  const [key, customer] = keyAndCustomer.split(' ');
  const { base_url }: Ready = JSON.parse(readFileSync(running.readyFile, 'utf8'));
  const headers = {
    ...{ authorization: `Bearer ${key}`, 'x-organization-id': customer! },
    'content-type': 'application/json',
  };
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  const call = async (path: string, init: RequestInit = {}): Promise<any> =>
    (await fetch(base_url + path, { headers, ...init })).json();
  interface Told {
    type: string;
    at: string;
  }
  const granted = (all: Told[]) =>
    all.filter(({ type }) => type === 'stars.granted').map(({ at }) => at);
  const statement = () =>
    call('/billing/statement?from=2030-01-01T00:00:00Z&to=2031-01-01T00:00:00Z&limit=200');
  const before = await statement();
  // In January and July, what was paid began the month.
  const months = ['02', '03', '04', '05', '06', '08', '09', '10', '11', '12'];
  const wanted = months.map((month) => `2030-${month}-01T00:00:00.000Z`);
  expect(granted(before.items)).toEqual(wanted);
  expect([before.spent_stars, before.refunded_stars]).toEqual([180, 0]);
  const unwritten = { type: 'stars.granted', at: wanted.at(-1), written_at: null };
  expect(before.items.at(-1)).toMatchObject(unwritten);

  await call('/billing/events/gift', {
    method: 'PUT',
    body: JSON.stringify({ type: 'pack.purchased', stars: 1 }),
  });
  const withoutWriting = (items: object[]) => items.map((one) => ({ ...one, written_at: null }));
  const { items, ...sums } = await statement();
  expect({ ...sums, items: withoutWriting(items) }).toEqual({
    ...before,
    items: withoutWriting(before.items),
  });
  const { items: history } = await call('/billing/history?limit=200');
  expect(granted(history).toReversed()).toEqual(wanted);
  const grantsOfFeed = async () => {
    const { items: changes } = await call('/changes?limit=200&type=wallet.changed');
    return granted(
      changes.map(({ entry, at }: { entry: Told; at: string }) => ({ type: entry.type, at })),
    );
  };
  await eventually(
    'the feed has all months',
    async () => (await grantsOfFeed()).length === wanted.length,
  );
  expect(await grantsOfFeed()).toEqual(wanted);
};

test('a year of a wallet passes as the page says, and a later run begins no earlier', {
  tags: ['long'],
}, async () => {
  const running = start(begins);
  const before: Ready = await running.ready();
  const { stdout, stderr, code } = await run(`${blocks.join('')}echo $PLATFORM_KEY $CUSTOMER\n`);
  expect([stderr, code]).toEqual(['', 0]);
  const told = [...page.matchAll(/^(?:balance|left) +# (.+)$/gm)].map(([, what]) => what);
  expect(told.length).toBeGreaterThan(8);
  expect(stdout.match(/^\d+ (?:stars, \d+ held|left)$/gm)).toEqual(told);
  const usage = /^\{"items":\[.*?\],"next_cursor".*$/m.exec(stdout)?.[0] ?? '';
  expect(JSON.parse(usage).items).toEqual([
    { name: 'search', spent_stars: 150, refunded_stars: 0 },
    { name: 'summary', spent_stars: 30, refunded_stars: 0 },
  ]);

  await expectMonths(running, stdout.trim().split('\n').at(-1)!);

  // Tokens are new, and keys go on.
  const after: Ready = JSON.parse(readFileSync(running.readyFile, 'utf8'));
  const [old, fresh] = [before, after].map(({ organizations: [one] }) => one!);
  const ask = async (credential: string) =>
    (await fetch(`${after.base_url}/me`, { headers: { authorization: `Bearer ${credential}` } }))
      .status;
  expect(await ask(old!.tokens.owner)).toBe(401);
  expect(await ask(fresh!.tokens.owner)).toBe(200);
  expect(await ask(after.api_key!)).toBe(200);
  const days = (decodeJwt(fresh!.tokens.owner).iat! - decodeJwt(old!.tokens.owner).iat!) / 86_400;
  expect(Math.round(days)).toBe(365);
  // Each entry stands at its time, in the order in which it was written.
  const back = await run('. .local/clock/env.sh; npm run -s clock -- 2026-01-01T00:00:00Z');
  expect([back.code, back.stderr]).toEqual([1, 'The clock does not go back.\n']);
  await stop(running);

  const early = start('2030-12-31T00:00:00Z');
  expect(await early.ended).toBe(1);
  expect(early.stderr).toMatch(/^This database is at \S+: give that time, or a later one\.$/m);
  const later = start('2031-01-02T00:00:00Z');
  await later.ready();
  const now = await run('npm run -s clock');
  expect([now.stderr, now.code]).toEqual(['', 0]);
  expect(now.stdout).toMatch(/^2031-01-02T00:/);
  await stop(later);
});
