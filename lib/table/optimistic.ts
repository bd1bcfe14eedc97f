import { ApiError } from '../errors.ts';

const mostAttempts = 5;

/** What a write was decided on is no longer so: read it again and decide anew. */
export class Changed extends Error {
  constructor() {
    super('another request came between');
  }
}

/**
 * Attempts a change of what was found, and again with what is there now while other changes come
 * between. Throws `write_conflict` when they don't end.
 */
export const whileChanged = async <Found, T>(
  found: Found,
  readAgain: () => Promise<Found>,
  attempt: (found: Found) => Promise<T>,
): Promise<T> => {
  let current = found;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(current);
    } catch (error) {
      if (!(error instanceof Changed)) throw error;
      if (attempts === mostAttempts) throw new ApiError('write_conflict', { cause: error });
    }
    current = await readAgain();
  }
};
