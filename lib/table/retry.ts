import type { TimeLimit } from '../handlers/deadline.ts';
import { ApiError } from '../operations/errors.ts';

const firstWait = 50;
const longestWait = 1600;

/** How long to wait at most after so many attempts, in milliseconds: twice as long each time, up to the last. */
export const longestWaitAfter = (attempts: number): number =>
  Math.min(firstWait * 2 ** (attempts - 1), longestWait);

/**
 * Attempts until it is done, or fails in a way that does not pass, or the deadline is reached; then
 * the last failure is thrown. The waits are random from nothing to their longest ("full jitter"), so
 * that those who collided do not do so again; none is longer than the time that is left.
 */
export const retried = async <T>(
  { deadline }: Pick<TimeLimit, 'deadline'>,
  attempt: () => Promise<T>,
  passes: (error: unknown) => boolean,
): Promise<T> => {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const left = deadline - Date.now();
      if (!passes(error) || left < firstWait) throw error;
      const wait = Math.random() * Math.min(longestWaitAfter(attempts), left);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
};

/** What a write was decided on is no longer so, or is being changed: read it again and decide anew. */
export class Changed extends ApiError {
  constructor(cause: unknown = new Error('another request came between')) {
    super('write_conflict', { cause });
  }
}

/**
 * Attempts a change of what was found, and again with what is there now while other changes come
 * between, or are under way. Throws `write_conflict` when they don't end before the deadline.
 */
export const whileChanged = <Found, T>(
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
  return retried(limit, anew, (error) => error instanceof Changed);
};
