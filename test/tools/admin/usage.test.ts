import { randomUUID } from 'node:crypto';
import { freePort } from '@leads-and-stars/runner';
import { describe, expect, test } from 'vitest';
import { Admin, expectFailure, ready } from './admin.ts';

const admin = new Admin();

test('a process that has done what it was told ends with 0, and has said it', async () => {
  const file = await admin.file('ready.json', ready);
  const ran = await admin.runAlone('plan', 'list', '--json', '--ready-file', file);
  expect([ran.code, ran.stderr, JSON.parse(ran.stdout)]).toEqual([0, '', expect.any(Array)]);
});

describe('says in one line what is wrong', () => {
  const id = randomUUID();

  test.each([
    ['an unknown organization', ['member', 'list', id], /no organization/],
    ['an id that is none', ['organization', 'show', 'cedro'], /must be a UUID/],
    ['an unknown command', ['organization', 'destroy', id], /unknown command/],
    [
      'too many stars',
      ['wallet', 'grant', id, '--stars', `1${'0'.repeat(11)}1`],
      /to 1000000000000\./,
    ],
    ['an unreadable input', ['organization', 'create', '--input', 'none'], /can't be read/],
    ['two services', ['member', 'list', id, '--stack', 'S'], /one of --stack and --ready-file/],
    [
      'two of this machine',
      ['member', 'list', id, '--port', '1'],
      /one of --port and --ready-file/,
    ],
    ['a profile for the runner', ['member', 'list', id, '--profile', 'p'], /--stack/],
  ])('%s', async (_name, args, message) => {
    expectFailure(await admin.run(...args), message);
  });

  test('no running service', async () => {
    const ran = await admin.runAlone('member', 'list', id);
    expectFailure(ran, /^No service runs here: start one with npm run dev, or name a deployed one/);
  });

  test('no running service at a port', async () => {
    const ran = await admin.runAlone('member', 'list', id, '--port', '3001');
    expectFailure(
      ran,
      /^No service runs here at port 3001: .* npm run dev -- --port 3001, or name/,
    );
  });

  test('a port beside a stack', async () => {
    const ran = await admin.runWith({}, 'member', 'list', id, '--port', '1', '--stack', 'S');
    expectFailure(ran, /one of --stack and --port/);
  });

  test('a service that has ended', async () => {
    const dynamodb_endpoint = `http://127.0.0.1:${await freePort()}`;
    const file = await admin.file('ended.json', { ...ready, dynamodb_endpoint });
    const ran = await admin.runWith({}, 'member', 'list', id, '--ready-file', file);
    expectFailure(ran, /does not answer/);
  });

  test.each([
    ['credentials', ['--region', 'us-east-1'], /credentials .*--profile.*AWS_PROFILE/],
    ['a region', [], /--region.*AWS_REGION/],
  ])('a stack without %s', async (_what, options, message) => {
    const variables = { AWS_EC2_METADATA_DISABLED: 'true' };
    const args = ['member', 'list', id, '--stack', 'S', ...options];
    expectFailure(await admin.runWith(variables, ...args), message);
  });
});
