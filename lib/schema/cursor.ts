import { createHash } from 'node:crypto';
import { ApiError } from '../errors/errors.ts';

const fingerprintBytes = 8;
/** Bytes of a position at most. Sort keys of this service are shorter. */
const mostPositionBytes = 64;
/** The most characters of a cursor, in base64url. */
export const mostCursor = Math.ceil(((fingerprintBytes + mostPositionBytes) * 4) / 3);

/** Which list a cursor belongs to. Everything else of DynamoDB's LastEvaluatedKey follows from it. */
export type ListIdentity = readonly [organizationId: string, operationId: string, ...unknown[]];

const fingerprint = (list: ListIdentity): Buffer =>
  createHash('sha256').update(JSON.stringify(list)).digest().subarray(0, fingerprintBytes);

/** The page after this position, a sort key: a fingerprint of the list and the position, base64url. */
export const encodeCursor = (list: ListIdentity, position: string): string =>
  Buffer.concat([fingerprint(list), Buffer.from(position)]).toString('base64url');

/**
 * The position that the previous page ended with, of the form that the list's sort keys have.
 * Throws `invalid_cursor` for anything but a cursor of this list.
 */
export const decodeCursor = (list: ListIdentity, cursor: string, form: RegExp): string => {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(fingerprintBytes).toString('latin1');
  if (
    bytes.toString('base64url') !== cursor ||
    bytes.length > fingerprintBytes + mostPositionBytes ||
    !bytes.subarray(0, fingerprintBytes).equals(fingerprint(list)) ||
    !form.test(position)
  ) {
    throw new ApiError('invalid_cursor');
  }
  return position;
};

/** The form of ids as sort keys. */
export const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
