import * as z from 'zod/mini';
import { ApiError, invalid } from '../errors/errors.ts';

/** The ETag of a resource with this version, as a header. */
export const etag = (version: number): { ETag: string } => ({ ETag: `"${version}"` });

const pattern = /^"([1-9]\d{0,14})"$/;

/** The version that an ETag of ours names. NaN for an ETag that we never gave: it matches no version (RFC 9110, 13.1.1). */
export const parseEtag = (text: string): number => Number(pattern.exec(text)?.[1] ?? Number.NaN);

const expectation = 'must be an ETag, as "3"';

/** An ETag in a body. */
export const etagText = () => z.string().check(z.regex(pattern, expectation));

/** An ETag as RFC 9110 writes it (8.8.3), ours or not, strong or weak. */
const tag = /(?:W\/)?"[^\s"]*"/g;
/** One ETag or more. */
const tags = new RegExp(`^${tag.source}(?:\\s*,\\s*${tag.source})*$`);

/** The versions that an `If-Match` names, any of which has to be there; undefined if any version will do. */
export type IfMatch = readonly number[] | undefined;

/** The versions that an `If-Match` names; undefined for any. Throws `invalid_request` for a text that is no ETag. */
export const parseIfMatch = (ifMatch: string): IfMatch => {
  if (ifMatch === '*') return undefined;
  if (!tags.test(ifMatch)) throw invalid('If-Match', expectation);
  return ifMatch.match(tag)?.map(parseEtag);
};

/** Throws `precondition_failed` if the client names versions, and the stored version is none of them. */
export const assertMatch = (match: IfMatch, version: number): void => {
  if (match && !match.includes(version)) throw new ApiError('precondition_failed');
};
