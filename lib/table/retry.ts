import type { Context } from 'aws-lambda';
import { ApiError } from '../errors/errors.ts';

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

const firstWaitMs = 50;
const mostWaitMs = 1600;

/** The longest wait after that many attempts, in milliseconds: it doubles each time, up to a limit. */
export const longestWaitMs = (attempts: number): number =>
  Math.min(firstWaitMs * 2 ** (attempts - 1), mostWaitMs);

/**
 * Attempts until it succeeds. Throws the last failure at the deadline, and at once a failure that is not transient. Each wait
 * is random, from nothing to the longest ("full jitter") and `mostMs` at most, so that requests that met
 * do not meet again. No wait is longer than the time that is left.
 */
export const retry = async <T>(
  { deadline }: Pick<TimeBounds, 'deadline'>,
  attempt: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  mostMs = mostWaitMs,
): Promise<T> => {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const left = deadline - Date.now();
      if (!isTransient(error) || left < firstWaitMs) throw error;
      const wait = Math.random() * Math.min(longestWaitMs(attempts), mostMs, left);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
};

/** Another request has changed what this write was decided on, or is changing it: read again and decide anew. */
export class ConflictError extends ApiError {
  constructor(cause: unknown = new Error('another request came between')) {
    super('write_conflict', { cause });
  }
}

/** Whether whoever tries again may succeed, as another request came between. */
export const isWriteConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'write_conflict';

// docs/decisions/conflicts.md
/**
 * Attempts a change of what was read. If someone else changed it meanwhile, it reads again and attempts the change of
 * what is there now. Throws `write_conflict` if that goes on until the deadline.
 */
export const retryOnConflict = <Current, T>(
  bounds: Pick<TimeBounds, 'deadline'>,
  current: Current,
  readCurrent: () => Promise<Current>,
  attempt: (current: Current) => Promise<T>,
): Promise<T> => {
  let isFirst = true;
  const attemptCurrent = async () => {
    const latest = isFirst ? current : await readCurrent();
    isFirst = false;
    return attempt(latest);
  };
  return retry(bounds, attemptCurrent, (error) => error instanceof ConflictError);
};
