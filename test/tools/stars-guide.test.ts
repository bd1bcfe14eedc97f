import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import { call } from '../support/api.ts';
import { openingWallet } from '../support/billing.ts';
import { given } from '../support/command-line.ts';
import { provision } from '../support/organization.ts';
import { serverOf } from '../support/server.ts';

// What docs/stars.md has to copy, beside the running service.

/** A slow machine may need longer for a request than the meter waits. */
const page = readFileSync(join(import.meta.dirname, '../../docs/stars.md'), 'utf8').replace(
  'curl -sS -m 15 ',
  'curl -sS -m 600 ',
);
const blocksOf = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );
const blocks = blocksOf('sh');
const [meter = ''] = blocks.filter((block) => block.startsWith('meter()'));

const { baseUrl, platformKey } = inject('service');
const owner = crypto.randomUUID();

/** Runs a script in a shell that ends at what fails. */
const run = async (script: string, variables: Record<string, string> = {}) => {
  const env = {
    ...given,
    BASE_URL: baseUrl,
    PLATFORM_KEY: platformKey,
    USER_ID: owner,
    ...variables,
  };
  const shell = spawn('sh', ['-ec', script], { env });
  const [stdout, stderr, [code]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'close'),
  ]);
  return { stdout, stderr, code };
};

test('its commands do what they say, one after another', async () => {
  // These are of `npm run dev`: their own tests try them.
  const isOfDev = (line: string) => /\bnpm run\b/.test(line);
  const lines = blocks.flatMap((block) => block.split('\n').filter((line) => !isOfDev(line)));
  expect(lines.join('\n').match(/^call \//gm)?.length).toBeGreaterThan(4);
  const [, makeKey = ''] = /`(call \/keys [^`]*)`/.exec(page) ?? [];
  const script = lines.join('\n');
  const all = `${script}\n${makeKey}\nprintf '\n%s' "$CUSTOMER"`;
  const { stdout, stderr, code } = await run(all);
  expect([stderr, code]).toEqual(['', 0]);
  // One spend of the batch is to be refused.
  expect(stdout.match(/"code":"\w+"/g)).toEqual(['"code":"insufficient_stars"']);

  const id = stdout.split('\n').at(-1)!;
  const headers = { authorization: `Bearer ${platformKey}`, 'x-organization-id': id };
  const get = async (path: string) => (await call('GET', path, { headers })).body;
  expect(await get('/billing/balance')).toMatchObject({ available_stars: 785 });
  expect((await get('/billing/spends/order-2')).feature).toBe('search');
  expect(await get('/billing/alerts')).toMatchObject({ thresholds: [100] });
  const [members, keys] = [await get('/members'), await get('/keys')];
  expect(members.items).toMatchObject([{ user_id: owner, role: 'owner' }]);
  const named = keys.items.map((one: { name: string }) => one.name).toSorted();
  expect(named).toEqual(['Agent', 'Meter']);
  const limits = (await get('/billing/limits')).items;
  expect(limits).toMatchObject([
    { kind: 'default', stars: 100 },
    { name: 'agent-7', left_stars: 20 },
  ]);

  const [answer = ''] = blocksOf('json');
  const shown = JSON.parse(answer);
  const as_of = expect.any(String);
  shown.items[0].balance.as_of = as_of;
  const [said] = /\{"items":\[\{"event_id":"order-3".*?\}\]\}\}\]\}/.exec(stdout) ?? [];
  expect(JSON.parse(said!)).toEqual(shown);
});

const definition = meter.replace(/^meter .*$/m, '');
/** It tells what it waits for, and does not. */
const runMeter = (args: string, variables: Record<string, string>) =>
  run(`sleep() { printf '%s ' "$1"; }\n${definition}\nmeter ${args}`, variables);

test('the shell’s meter says why it ends', async () => {
  const { id, tokens } = await provision(openingWallet(0, 5));
  const ask = (args: string, PLATFORM_KEY = platformKey) =>
    runMeter(args, { PLATFORM_KEY, CUSTOMER: id });
  const spent = { code: 0, stdout: '0 ', stderr: '' };
  expect(await ask('a 5 search')).toEqual(spent);
  expect(await ask('a 5 search')).toEqual(spent);
  const expectEnd = async (args: string, end: number, why: string, key?: string) => {
    const told = expect.stringMatching(RegExp(`^meter ${args[0]}: .*${why}\\n$`));
    expect(await ask(args, key)).toEqual({ code: end, stdout: '0 ', stderr: told });
  };
  await expectEnd('b 1 search', 2, '"insufficient_stars".*"available_stars":0.* 402');
  await expectEnd('a 4 search', 1, '"event_id_reused".* 409');
  await expectEnd('c 0 search', 1, '"invalid_request".*"path":"stars".* 400');
  await expectEnd('d 1 search', 1, '"unauthenticated".* 401', 'lsk_x');
  await expectEnd('e 1 search', 1, '"forbidden".* 403', tokens.viewer);
});

/** A service that answers so, the last answer again and again. */
const startAnswers = (answers: [status: number, code: string][]): Promise<string> =>
  serverOf((_request, response) => {
    const [status, code] = answers.length > 1 ? answers.shift()! : answers[0]!;
    response.writeHead(status).end(JSON.stringify({ error: { code } }));
  });

test('the shell’s meter tries again after what passes, and says what the last answer was', async () => {
  const brief: [number, string][] = [
    [409, 'write_conflict'],
    [429, 'rate_limited'],
    [503, 'unavailable'],
    [504, 'timeout'],
  ];
  const passing = await startAnswers([...brief, [200, 'none']]);
  expect(await runMeter('a 1 search', { BASE_URL: passing, CUSTOMER: owner })).toEqual({
    code: 0,
    stdout: '0 1 2 4 8 ',
    stderr: '',
  });
  for (const [status, word] of brief) {
    const BASE_URL = await startAnswers([[status, word]]);
    const { code, stdout, stderr } = await runMeter('a 1 search', { BASE_URL, CUSTOMER: owner });
    expect([code, stdout]).toEqual([3, '0 1 2 4 8 ']);
    expect(stderr).toBe(`meter a: {"error":{"code":"${word}"}} ${status}\n`);
  }
});

test('the shell’s meter says that nothing answers', async () => {
  const variables = { BASE_URL: 'http://127.0.0.1:1', CUSTOMER: owner };
  const { code, stdout, stderr } = await runMeter('a 1 search', variables);
  expect([code, stdout]).toEqual([3, '0 1 2 4 8 ']);
  expect(stderr).toMatch(/^curl: \(7\) .*\n(.*\n)*meter a: {2}000\n$/);
});
