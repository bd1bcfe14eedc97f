import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CliError } from '../../../packages/client/src/cli/cli-error.ts';
import { failureText } from '../../../packages/client/src/cli/failure.ts';
import { ApiError, ConnectionError } from '../../../packages/client/src/index.ts';

const refused = (body: object | undefined) =>
  new ApiError(new Response(null, { status: 400, headers: { 'x-request-id': 'r' } }), body);

test('of a refusal its code, its details and its request are told', () => {
  const error = { code: 'invalid_request', message: 'Look here.', request_id: 'r' };
  expect(failureText(refused({ error }))).toBe('invalid_request: Look here. (request r)');
  const details = [
    { path: 'from', message: 'is wrong' },
    { path: '', message: 'The rest, too' },
  ];
  expect(failureText(refused({ error: { ...error, details } }))).toBe(
    'invalid_request: from is wrong; The rest, too (request r)',
  );
});

test('of anything else its message is told', () => {
  expect(failureText(refused(undefined))).toBe('The answer was 400, and none of the API’s.');
  expect(failureText(new ConnectionError(new Error('x')))).toBe('The API could not be reached.');
  expect(failureText(new CliError('Say --from.'))).toBe('Say --from.');
  // A message of the command line is told as it is, whatever else the error has.
  expect(failureText(Object.assign(new CliError('Say --to.'), { code: 'ENOENT', path: 'p' }))).toBe(
    'Say --to.',
  );
});

test('a file that is not there is named', () => {
  const thrown = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return failureText(error);
    }
    return undefined;
  };
  expect(thrown(() => readFileSync('no-such.csv'))).toBe('There is no file no-such.csv.');
  expect(thrown(() => readFileSync('.'))).toContain('EISDIR');
  expect(failureText(Object.assign(new Error('spawn'), { code: 'ENOENT' }))).toBe('spawn');
});
