import type { Context } from 'aws-lambda';

/** Kept of a function's time, in milliseconds, to answer by itself before it is stopped. */
export const answerBeforeTimeout = 1500;

/** When an invocation should have its answer, in milliseconds since the epoch. */
export const deadlineOf = (context: Context): number =>
  Date.now() + context.getRemainingTimeInMillis() - answerBeforeTimeout;
