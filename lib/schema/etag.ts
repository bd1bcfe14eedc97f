import * as z from 'zod/mini';
import { ApiError, invalid } from '../operations/errors.ts';

/** The ETag of a resource with this version, as a header. */
export const etag = (version: number): { ETag: string } => ({ ETag: `"${version}"` });

const form = /^"([1-9]\d{0,14})"$/;

/** The version that an ETag of ours names; NaN for one that we never gave: it matches none (RFC 9110, 13.1.1). */
export const versionOf = (text: string): number => Number(form.exec(text)?.[1] ?? Number.NaN);

const mistaken = 'must be an ETag, as "3"';

/** An ETag in a body. */
export const etagText = () => z.string().check(z.regex(form, mistaken));

/** ETags as RFC 9110 writes them (8.8.3), ours or not: one or more, strong or weak. */
const tags = /^(W\/)?"[^\s"]*"(\s*,\s*(W\/)?"[^\s"]*")*$/;

/** The version that an `If-Match` names; undefined where any will do. Throws `invalid_request` for what is no ETag. */
export const versionIn = (ifMatch: string): number | undefined => {
  if (ifMatch === '*') return undefined;
  if (!tags.test(ifMatch)) throw invalid('If-Match', mistaken);
  return versionOf(ifMatch);
};

/** Throws `precondition_failed` if the client names another version than the stored one. */
export const assertMatch = (ifMatch: number | undefined, version: number): void => {
  if (ifMatch !== undefined && ifMatch !== version) throw new ApiError('precondition_failed');
};
