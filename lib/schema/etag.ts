import { ApiError } from '../operations/errors.ts';

/** The ETag of a resource with this version, as a header. */
export const etag = (version: number): { ETag: string } => ({ ETag: `"${version}"` });

/** Throws `precondition_failed` if the client wants another version than there is. */
export const assertMatch = (ifMatch: number | undefined, version: number): void => {
  if (ifMatch !== undefined && ifMatch !== version) throw new ApiError('precondition_failed');
};
