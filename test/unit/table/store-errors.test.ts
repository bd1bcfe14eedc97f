import { expect, test } from 'vitest';
import { storeError } from '../../../lib/table/store-errors.ts';

/** What DynamoDB answers, as the SDK throws it. */
const failure = (name: string, status: number | undefined, reasons?: string[]) =>
  Object.assign(new Error(name), {
    name,
    $metadata: { httpStatusCode: status },
    ...(reasons && { CancellationReasons: reasons.map((Code) => ({ Code })) }),
  });
const refused = 'ConditionalCheckFailed';
const cancelled = (...reasons: string[]) => failure('TransactionCanceledException', 400, reasons);

test.each([
  ['others write the same', cancelled('None', 'TransactionConflict'), 'write_conflict'],
  ['too much at once, too', cancelled('TransactionConflict', 'ThrottlingError'), 'write_conflict'],
  ['others, and a condition', cancelled('TransactionConflict', refused), 'write_conflict'],
  ['too much at once, and a condition', cancelled(refused, 'ThrottlingError'), 'unavailable'],
  ['too much at once', cancelled('None', 'ThrottlingError'), 'unavailable'],
  ['more than a table may have', cancelled('ProvisionedThroughputExceeded'), 'unavailable'],
  ['more than an account may have', cancelled('RequestLimitExceeded'), 'unavailable'],
  ['a read of too much', failure('ProvisionedThroughputExceededException', 400), 'unavailable'],
  ['a request of too many', failure('ThrottlingException', 400), 'unavailable'],
  ['the same under way', failure('TransactionInProgressException', 400), 'unavailable'],
  ['DynamoDB in trouble', failure('InternalServerError', 500), 'unavailable'],
  ['no answer', failure('TimeoutError', undefined), 'unavailable'],
])('%s passes', (_what, error, code) => {
  expect(storeError(error)).toMatchObject({ code, cause: error });
});

test.each([
  ['a condition that does not hold', cancelled('None', refused)],
  ['a mistake of ours', cancelled('ValidationError')],
  ['a mistake beside others', cancelled('TransactionConflict', 'ValidationError')],
  ['a request that is not valid', failure('ValidationException', 400)],
  ['what the role does not allow', failure('AccessDeniedException', 400)],
])('%s does not', (_what, error) => {
  expect(storeError(error)).toBe(error);
});
