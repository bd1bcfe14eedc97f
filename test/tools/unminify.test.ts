import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { loggedError } from '../../tools/unminify/log-line.ts';
import { sourceStack } from '../../tools/unminify/source-stack.ts';

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

test('a log line of a minified bundle becomes source files and lines', async () => {
  const { stack, operationId } = loggedError(line);
  expect(operationId).toBe('wakeDueWebhooks');
  expect(stack).not.toContain('.ts');
  const named = await sourceStack(stack, operationId);
  expect(named.split('\n')[0]).toBe(stack.split('\n')[0]);
  expect(named).not.toContain('function.js');
  const [, number, text] =
    /at async lib\/webhooks\/delivery\/due-times\.ts:(\d+):\d+ {2}(.*)$/m.exec(named) ?? [];
  const lines = readFileSync(join(root, 'lib/webhooks/delivery/due-times.ts'), 'utf8').split('\n');
  expect(lines[Number(number) - 1]?.trim()).toBe(text);
  expect(text).toContain('await table.query(');
});

test('a stack of another version is refused: here that of another function', async () => {
  const { stack } = loggedError(line);
  const refused = /is no place in this checkout's createLead\. Check out the version/;
  await expect(sourceStack(stack, 'createLead')).rejects.toThrow(refused);
});

test('a stack alone is read with its operation, and what CloudWatch shows of a line without', () => {
  expect(loggedError('Error: a\n    at b', 'getLead').operationId).toBe('getLead');
  expect(loggedError('{"operation":"a","cause":{"stack":"b"}}').operationId).toBe('a');
});

test('a stack of nobody, of an unknown operation, or without a place is refused', async () => {
  expect(() => loggedError('Error: a')).toThrow(/name its operation/);
  expect(() => loggedError('{"message":{"operation":"a"}}')).toThrow(/has no cause\.stack/);
  await expect(sourceStack('Error: a', 'getLead')).rejects.toThrow(/no place in a bundle/);
  await expect(sourceStack('Error: a', 'getLeads')).rejects.toThrow(/no operation getLeads/);
});
