import type { Context } from 'aws-lambda';

/** Milliseconds at the end of a function's time in which it answers by itself, before Lambda stops it. */
export const answerBeforeTimeoutMs = 1500;

/** Milliseconds that the last attempt has, so that its outcome is answered instead of `timeout`. */
export const lastAttemptMs = 1000;

/** How long work may go on. */
export interface TimeLimit {
  /** No attempt begins after this: milliseconds since the epoch. */
  deadline: number;
  /** Whatever is still under way at this time is given up: milliseconds since the epoch. */
  end?: number;
}

/** The limit of work that has this many milliseconds from now on. */
export const within = (milliseconds: number): Required<TimeLimit> => {
  const end = Date.now() + milliseconds;
  return { deadline: end - lastAttemptMs, end };
};

/** The limit of an invocation, so that it can still answer by itself. */
export const limitOf = (context: Context): Required<TimeLimit> =>
  within(context.getRemainingTimeInMillis() - answerBeforeTimeoutMs);
