import { createHash } from 'node:crypto';
import { ApiError } from '../errors/errors.ts';

const fingerprintBytes = 8;
/** Bytes of a cursor's sort key at most. All of this service are shorter. */
const mostSortKeyBytes = 145;
/** The most characters of a cursor, in base64url. */
export const mostCursor = Math.ceil(((fingerprintBytes + mostSortKeyBytes) * 4) / 3);

/** Which list a cursor belongs to. Everything else of DynamoDB's LastEvaluatedKey follows from it. */
export type ListIdentity = readonly [organizationId: string, operationId: string, ...unknown[]];

const fingerprint = (list: ListIdentity): Buffer =>
  createHash('sha256').update(JSON.stringify(list)).digest().subarray(0, fingerprintBytes);

/** A cursor for the page after this sort key: a fingerprint of the list and the sort key, base64url. */
export const encodeCursor = (list: ListIdentity, sortKey: string): string =>
  Buffer.concat([fingerprint(list), Buffer.from(sortKey)]).toString('base64url');

/**
 * The sort key that the previous page ended with, of the pattern that the list's sort keys have.
 * Throws `invalid_cursor` for anything but a cursor of this list.
 */
export const decodeCursor = (list: ListIdentity, cursor: string, pattern: RegExp): string => {
  const bytes = Buffer.from(cursor, 'base64url');
  const sortKey = bytes.subarray(fingerprintBytes).toString('latin1');
  if (
    bytes.toString('base64url') !== cursor ||
    bytes.length > fingerprintBytes + mostSortKeyBytes ||
    !bytes.subarray(0, fingerprintBytes).equals(fingerprint(list)) ||
    !pattern.test(sortKey)
  ) {
    throw new ApiError('invalid_cursor');
  }
  return sortKey;
};

/** The pattern of ids as sort keys. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
