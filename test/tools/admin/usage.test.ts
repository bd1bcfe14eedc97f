import { randomUUID } from 'node:crypto';
import { freePort } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';
import { serverOf } from '../../support/server.ts';
import { Admin, expectFailure, ready } from './admin.ts';

const admin = new Admin();
const id = randomUUID();
const list = ['member', 'list', id];

test('a process that has done what it was told ends with 0, and has said it', async () => {
  const file = await admin.file('ready.json', ready);
  const ran = await admin.runAlone('key', 'list', '--ready-file', file);
  expect([ran.code, ran.stderr, JSON.parse(ran.stdout)]).toEqual([0, '', expect.any(Array)]);
});

test.each([
  ['an id that is none', ['organization', 'show', 'cedro'], /must be a UUID/],
  ['an unknown command', ['organization', 'destroy', id], /unknown command/],
  ['too many stars', ['wallet', 'grant', id, `--stars=1${'0'.repeat(11)}1`], /to 1000000000000\./],
  [
    'no name',
    ['organization', 'create', '--member', `owner=${id}`],
    /'--name <name>' not specified/,
  ],
  ['two services', [...list, '--stack', 'S'], /one of --stack and --ready-file/],
  ['two of this machine', [...list, '--port', '1'], /one of --port and --ready-file/],
])('%s is told in one line', async (_name, args, message) => {
  expectFailure(await admin.run(...args), message);
});

test('what is not there is told from what failed, in JSON too', async () => {
  expectFailure(await admin.run(...list), /^There is no organization/, 2);
  const { code, stderr } = await admin.run(...list, '--json');
  const message = `There is no organization ${id}.`;
  expect([code, JSON.parse(stderr)]).toEqual([2, { error: { message, exit_code: 2 } }]);
});

test('what is wrong with the arguments is told in JSON, too', async () => {
  const { code, stderr } = await admin.run('organization', 'show', 'cedro', '--json');
  const message = expect.stringMatching(/must be a UUID/);
  expect([code, JSON.parse(stderr)]).toEqual([1, { error: { message, exit_code: 1 } }]);
});

test.each([
  ['key', 'revoke', id],
  ['member', 'remove', id, id],
  ['member', 'erase-name', id, id],
])('%s %s destroys nothing unasked', async (...args) => {
  expectFailure(await admin.run(...args), /Give --yes to do that\.\n$/);
  expectFailure(await admin.run(...args, '--yes'), /There is no /, 2);
});

test('no running service at a port is told in one line', async () => {
  const none =
    /^No service runs here at port 3001: .* npm run dev -- --port 3001, or name a deployed/;
  expectFailure(await admin.runAlone(...list, '--port', '3001'), none);
});

test('a service that has ended is told in one line', async () => {
  const dynamodb_endpoint = `http://127.0.0.1:${await freePort()}`;
  const file = await admin.file('ended.json', { ...ready, dynamodb_endpoint });
  expectFailure(await admin.runWith({}, ...list, '--ready-file', file), /does not answer/);
});

test('a table that is not there is told so', async () => {
  expectFailure(await admin.run('take-over', '--old', 'none'), /^There is no table none\.\n$/, 2);
});

test('a stack that is not there is told so', async () => {
  const message = 'Stack with id S does not exist';
  const endpoint = await serverOf((_request, response) => {
    response.writeHead(400, { 'content-type': 'text/xml' });
    response.end(
      `<ErrorResponse><Error><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
    );
  });
  const variables = {
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
    AWS_ENDPOINT_URL_CLOUDFORMATION: endpoint,
  };
  const ran = await admin.runWith(variables, ...list, '--stack', 'S');
  expectFailure(ran, /^There is no stack S\.\n$/, 2);
});

test.each([
  ['credentials', { AWS_REGION: 'us-east-1' }, /credentials .*: set AWS_PROFILE\./],
  ['a region', {}, /set AWS_REGION\./],
])('a stack without %s is told in one line', async (_what, given, message) => {
  const variables = { AWS_EC2_METADATA_DISABLED: 'true', ...given };
  expectFailure(await admin.runWith(variables, ...list, '--stack', 'S'), message);
});

test('a port beside a stack is told in one line', async () => {
  const ran = await admin.runWith({}, ...list, '--port', '1', '--stack', 'S');
  expectFailure(ran, /one of --stack and --port/);
});
