import type { Context } from 'aws-lambda';

/** Kept of a function's time, in milliseconds, to answer by itself before it is stopped. */
export const answerBeforeTimeout = 1500;

/** Kept for the last attempt, in milliseconds, so that its outcome is answered and no `timeout`. */
export const lastAttempt = 1000;

/** How long work may go on. */
export interface TimeLimit {
  /** No attempt is begun after it: milliseconds since the epoch. */
  deadline: number;
  /** What is still under way then is given up: milliseconds since the epoch. */
  end?: number;
}

/** The limit of something that has so many milliseconds from now on. */
export const within = (milliseconds: number): Required<TimeLimit> => {
  const end = Date.now() + milliseconds;
  return { deadline: end - lastAttempt, end };
};

/** The limit of an invocation that is to answer by itself. */
export const limitOf = (context: Context): Required<TimeLimit> =>
  within(context.getRemainingTimeInMillis() - answerBeforeTimeout);
