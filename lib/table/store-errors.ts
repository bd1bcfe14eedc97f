import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { ApiError } from '../errors/errors.ts';

interface StoreError extends Error {
  CancellationReasons?: CancellationReason[];
  $metadata?: { httpStatusCode?: number };
}

/** Reasons of DynamoDB to cancel a transaction that would succeed a moment later. */
const transientReasons = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);

/**
 * Whether a transaction was cancelled for such a reason. DynamoDB judges each item by itself. So where another item was
 * locked, a condition that failed says nothing yet: an item before it could not be judged. If the condition fails again
 * at the next attempt, it is the only reason.
 */
export const isTransient = (error: unknown): boolean => {
  const codes = (error as StoreError).CancellationReasons?.map(({ Code = 'None' }) => Code) ?? [];
  const failed = codes.filter((code) => code !== 'None' && code !== 'ConditionalCheckFailed');
  return failed.length > 0 && failed.every((code) => transientReasons.has(code));
};

/** Whether a transaction was cancelled because others were writing the same items. */
export const isConflict = (error: unknown): boolean =>
  (error as StoreError).CancellationReasons?.some(({ Code }) => Code === 'TransactionConflict') ??
  false;

const throttlingErrors = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionInProgressException',
]);

/**
 * Whether DynamoDB took no capacity for a write that failed with this error, as it did not begin it. A write that it
 * cancelled took the same as if it had been carried out; for a write without an answer, nobody knows.
 */
export const tookNothing = (error: unknown): boolean => {
  const { name, CancellationReasons: reasons, $metadata } = error as StoreError;
  const status = $metadata?.httpStatusCode ?? 0;
  const wasJudged = reasons !== undefined || name === 'ConditionalCheckFailedException';
  return status >= 400 && status < 500 && !wasJudged;
};

/** The error to answer with when DynamoDB, also after retries, did not do what it was asked. */
export const storeError = (error: unknown): Error => {
  const failure = error as StoreError;
  if (isTransient(failure)) {
    return new ApiError(isConflict(failure) ? 'write_conflict' : 'unavailable', { cause: failure });
  }
  // DynamoDB did not refuse it with a 4xx: it was down, out of reach, or too slow.
  const status = failure.$metadata?.httpStatusCode ?? 0;
  if (throttlingErrors.has(failure.name) || status < 400 || status >= 500) {
    return new ApiError('unavailable', { cause: failure });
  }
  return failure;
};
