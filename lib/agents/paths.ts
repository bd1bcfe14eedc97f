import { ApiError } from '../errors/errors.ts';

/** Does work, whose errors then name arguments as the tool does: `job`, where the operation says `event_id`. */
export const withPaths = async <T>(
  toArgument: (path: string) => string,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError && error.details)) throw error;
    const details = error.details.map((one) => ({ ...one, path: toArgument(one.path) }));
    throw new ApiError(error.code, { details, cause: error });
  }
};
