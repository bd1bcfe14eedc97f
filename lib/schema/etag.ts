import * as z from 'zod/mini';
import { ApiError } from '../operations/errors.ts';

/** The ETag of a resource with this version, as a header. */
export const etag = (version: number): { ETag: string } => ({ ETag: `"${version}"` });

const form = /^"(\d{1,15})"$/;

/** The version that an ETag of ours names; NaN for one that we never gave: it matches none (RFC 9110, 13.1.1). */
export const versionOf = (text: string): number => Number(form.exec(text)?.[1] ?? Number.NaN);

/** An ETag in a body. */
export const etagText = () => z.string().check(z.regex(form, 'must be an ETag, as "3"'));

/** Throws `precondition_failed` if the client names another version than the stored one. */
export const assertMatch = (ifMatch: number | undefined, version: number): void => {
  if (ifMatch !== undefined && ifMatch !== version) throw new ApiError('precondition_failed');
};
