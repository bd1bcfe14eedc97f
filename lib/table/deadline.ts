import type { Context } from 'aws-lambda';

/**
 * Milliseconds at the end of a function's time in which it replies by itself, before Lambda stops it. A request is also
 * counted in them by what it cost, which takes 500 at most.
 */
export const replyBeforeTimeoutMs = 1500;

/** Milliseconds that the last attempt has, so that the client gets its outcome instead of `timeout`. */
export const lastAttemptMs = 1000;

/** The moments until which work may go on. */
export interface TimeBounds {
  /** No attempt begins after this: milliseconds since the epoch. */
  deadline: number;
  /** Whatever is still under way then is aborted: milliseconds since the epoch. */
  endMs?: number;
}

/** The bounds of work that has this many milliseconds from now on. */
export const timeBoundsAfter = (durationMs: number): Required<TimeBounds> => {
  const endMs = Date.now() + durationMs;
  return { deadline: endMs - lastAttemptMs, endMs };
};

/** The bounds of an invocation, so that it can still reply by itself. */
export const timeBoundsOf = (context: Context): Required<TimeBounds> =>
  timeBoundsAfter(context.getRemainingTimeInMillis() - replyBeforeTimeoutMs);
