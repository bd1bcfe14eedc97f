import { createHash } from 'node:crypto';
import { parse, validate } from 'uuid';
import { ApiError } from './errors.ts';

const fingerprintBytes = 8;
const cursorBytes = 16 + fingerprintBytes;

/** Which list a cursor belongs to. Everything else of DynamoDB's LastEvaluatedKey follows from it. */
export type ListIdentity = readonly [organizationId: string, operationId: string, ...unknown[]];

const fingerprint = (list: ListIdentity): Buffer =>
  createHash('sha256').update(JSON.stringify(list)).digest().subarray(0, fingerprintBytes);

/** The page after the one that ends with this id: the id and a fingerprint of the list, base64url. */
export const encodeCursor = (list: ListIdentity, lastId: string): string =>
  Buffer.concat([parse(lastId), fingerprint(list)]).toString('base64url');

/** The id that the previous page ended with. Throws `invalid_cursor` for anything but a cursor of this list. */
export const decodeCursor = (list: ListIdentity, cursor: string): string => {
  const bytes = Buffer.from(cursor, 'base64url');
  const canonical = bytes.length === cursorBytes && bytes.toString('base64url') === cursor;
  if (!canonical || !bytes.subarray(16).equals(fingerprint(list))) {
    throw new ApiError('invalid_cursor');
  }
  const id = hex(bytes.subarray(0, 16));
  if (!validate(id)) throw new ApiError('invalid_cursor');
  return id;
};

const hex = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
