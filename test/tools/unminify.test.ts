import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { runScript } from '../support/command-line.ts';

// @module-tag long

const root = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'unminify-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** What a function of the minified bundle logs, as Lambda writes it, where its table does not answer. */
const runBundle = `
  console.error = (message) => process.stdout.write(JSON.stringify({ level: 'ERROR', message }));
  require('./function.js').handler({}, { getRemainingTimeInMillis: () => 500, awsRequestId: 'a' });`;
const environment = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 'b',
  AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
  TABLE_NAME: 'none',
  WAKES_QUEUE_URL: 'http://127.0.0.1:1/none',
};

let line = '';
beforeAll(async () => {
  buildSync({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: ['functions/webhooks/wake-due-webhooks.ts'],
    outfile: join(directory, 'function.js'),
  });
  const options = { cwd: directory, env: environment };
  const ran = await promisify(execFile)(process.execPath, ['-e', runBundle], options);
  line = ran.stdout;
});

const unminify = (input: string) =>
  runScript(join(root, 'tools/unminify/main.ts'), [], { cwd: directory, input });

test('a log line of a minified bundle becomes source files and lines', async () => {
  const { operation, cause } = JSON.parse(line).message;
  expect(operation).toBe('wakeDueWebhooks');
  expect(cause.stack).not.toContain('.ts');
  const { code, stdout } = await unminify(line);
  expect([code, stdout.split('\n')[0]]).toEqual([0, cause.stack.split('\n')[0]]);
  expect(stdout).not.toContain('function.js');
  const [, number, text] =
    /at lib\/consumers\/due-times\.ts:(\d+):\d+ {2}(.*)$/m.exec(stdout) ?? [];
  const lines = readFileSync(join(root, 'lib/consumers/due-times.ts'), 'utf8').split('\n');
  expect(lines[Number(number) - 1]?.trim()).toBe(text);
  expect(text).toContain('await table.query(');
});

test('a stack of another version is refused: here that of another function', async () => {
  const { code, stderr } = await unminify(line.replace('"wakeDueWebhooks"', '"createLead"'));
  expect([code, stderr]).toEqual([1, expect.stringContaining("is no place in this checkout's")]);
});
