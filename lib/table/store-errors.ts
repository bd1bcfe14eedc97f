import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { ApiError } from '../errors.ts';

interface StoreError extends Error {
  CancellationReasons?: CancellationReason[];
  $retryable?: { throttling: boolean };
  $metadata?: { httpStatusCode?: number };
}

/** Reasons for which DynamoDB cancels a transaction that would succeed a moment later. */
const passing = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);

const passes = (error: StoreError): boolean =>
  error.CancellationReasons?.every(
    ({ Code }) => Code === undefined || Code === 'None' || passing.has(Code),
  ) ?? false;

const conflicts = (error: StoreError): boolean =>
  error.CancellationReasons?.some(({ Code }) => Code === 'TransactionConflict') ?? false;

/**
 * Lets the SDK's own retries, with their jitter and their budget, repeat a transaction that was
 * cancelled for a passing reason; also, unless told otherwise, one that another conflicted with. By
 * itself the SDK gives up at once.
 */
export const retryCancelled =
  (retryConflicts: boolean) =>
  <A, R>(next: (args: A) => Promise<R>) =>
  async (args: A): Promise<R> => {
    try {
      return await next(args);
    } catch (error) {
      const failure = error as StoreError;
      if (passes(failure) && (retryConflicts || !conflicts(failure))) {
        failure.$retryable = { throttling: false };
      }
      throw failure;
    }
  };

const throttled = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionInProgressException',
]);

/** What the client is told when DynamoDB did not do what it was asked, retries included. */
export const storeError = (error: unknown): Error => {
  const failure = error as StoreError;
  if (passes(failure)) {
    return new ApiError(conflicts(failure) ? 'write_conflict' : 'unavailable', { cause: failure });
  }
  // Without a 4xx from DynamoDB, it was down, out of reach, or too slow to answer.
  const status = failure.$metadata?.httpStatusCode ?? 0;
  if (throttled.has(failure.name) || status < 400 || status >= 500) {
    return new ApiError('unavailable', { cause: failure });
  }
  return failure;
};
