import { ApiError } from '../errors/errors.ts';
import type { TimeLimit } from './deadline.ts';

const firstWaitMs = 50;
const mostWaitMs = 1600;

/** The longest wait after so many attempts, in milliseconds: it doubles each time, up to a limit. */
export const longestWaitMs = (attempts: number): number =>
  Math.min(firstWaitMs * 2 ** (attempts - 1), mostWaitMs);

/**
 * Attempts again and again until it succeeds. Throws the last failure at the deadline, or at once when it is one
 * that does not pass. Each wait is random, from nothing to the longest ("full jitter"), so that requests that met
 * do not meet again. No wait is longer than the time that is left.
 */
export const retry = async <T>(
  { deadline }: Pick<TimeLimit, 'deadline'>,
  attempt: () => Promise<T>,
  passes: (error: unknown) => boolean,
): Promise<T> => {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const left = deadline - Date.now();
      if (!passes(error) || left < firstWaitMs) throw error;
      const wait = Math.random() * Math.min(longestWaitMs(attempts), left);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
};

/** Another request has changed what this write was decided on, or is changing it: read again and decide anew. */
export class Conflict extends ApiError {
  constructor(cause: unknown = new Error('another request came between')) {
    super('write_conflict', { cause });
  }
}

// docs/decisions/conflicts.md
/**
 * Attempts a change of what was found. While others change the same, it reads again and attempts the change of
 * what is there now. Throws `write_conflict` when the others go on until the deadline.
 */
export const retryOnConflict = <Found, T>(
  limit: Pick<TimeLimit, 'deadline'>,
  found: Found,
  readAgain: () => Promise<Found>,
  attempt: (found: Found) => Promise<T>,
): Promise<T> => {
  let first = true;
  const anew = async () => {
    const current = first ? found : await readAgain();
    first = false;
    return attempt(current);
  };
  return retry(limit, anew, (error) => error instanceof Conflict);
};
