import { ApiError } from '../operations/errors.ts';

/** The ETag of a resource with this version, as a header. */
export const etag = (version: number): { ETag: string } => ({ ETag: `"${version}"` });

/** Throws `precondition_failed` if the client names another version than the stored one. */
export const assertMatch = (ifMatch: number | undefined, version: number): void => {
  if (ifMatch !== undefined && ifMatch !== version) throw new ApiError('precondition_failed');
};
