import { CliError } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';
import { ApiError, invalid } from '../../lib/errors/errors.ts';
import { failure } from '../../tools/admin/failure.ts';

test.each([
  [
    'what is wrong with a field',
    invalid('stars', 'is too small'),
    'invalid_request: stars is too small',
  ],
  [
    'every field, and what is wrong as a whole',
    new ApiError('invalid_request', {
      details: [
        { path: 'stars', message: 'is too small' },
        { path: '', message: 'needs a plan' },
      ],
    }),
    'invalid_request: stars is too small; needs a plan',
  ],
  [
    'an error without details',
    new ApiError('write_conflict'),
    'write_conflict: Another request changed the same data at the same time. It is safe to retry.',
  ],
  [
    'what happened, not what it was for',
    new Error('outer', { cause: new CliError('inner') }),
    'inner',
  ],
  ['nothing', undefined, 'It failed.'],
])('%s is told in one line', (_what, error, told) => {
  expect(failure(error)).toBe(told);
});
