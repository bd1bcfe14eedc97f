import { expect, test } from 'vitest';
import { toSpendResult } from '../../../../lib/billing/spends/spend-batch.ts';
import { ApiError, type ErrorCode } from '../../../../lib/errors/errors.ts';

// What becomes of spends: test/api/billing/create-spends.test.ts. Here is which errors are the outcome of one of them.

test.each<[ErrorCode, boolean]>([
  ['write_conflict', true],
  ['unavailable', true],
  ['timeout', true],
  ['too_late', false],
  ['insufficient_stars', false],
  ['event_id_reused', false],
  ['forbidden', false],
])('a spend that ends with %s fails its whole batch: %s', (code, failsAll) => {
  const details = [{ path: 'stars', message: 'says why' }];
  const error = new ApiError(code, { details });
  const answer = () => toSpendResult('e', { error });
  if (failsAll) expect(answer).toThrow(error);
  else {
    const { status } = error.kind;
    const told = { code, message: error.message, details };
    expect(answer()).toEqual({ event_id: 'e', status, error: told });
  }
});

test('what no error of the API says fails the whole batch, too', () => {
  const error = new Error('of a bug');
  expect(() => toSpendResult('e', { error })).toThrow(error);
});
