import { assertNames, assertObject, assertSignal, assertUuid, shown } from './checks.ts';

/** The parts of any call; the types of each operation say which of them it takes. */
export interface AnyRequest {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  ifMatch?: string | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

const isRequestName: Record<keyof AnyRequest, true> = {
  path: true,
  query: true,
  body: true,
  ifMatch: true,
  idempotencyKey: true,
  signal: true,
};
const requestNames = Object.keys(isRequestName);

/**
 * Throws a `TypeError` for what no call takes. An id in the path must not change the address: that of the note `..` is its
 * lead's.
 */
export const assertRequest = (request: AnyRequest): void => {
  assertNames('request', request, requestNames);
  const { path = {}, query = {}, ifMatch, idempotencyKey, signal } = request;
  assertObject('path', path);
  assertObject('query', query);
  for (const [name, id] of Object.entries(path)) {
    if (['', '.', '..', 'undefined', 'null'].includes(String(id))) {
      throw new TypeError(`${name} is no id: “${id}”`);
    }
  }
  if (ifMatch !== undefined && typeof ifMatch !== 'string') {
    throw new TypeError(`ifMatch must be an ETag, not ${shown(ifMatch)}`);
  }
  if (idempotencyKey !== undefined) assertUuid('idempotencyKey', idempotencyKey);
  if (signal !== undefined) assertSignal(signal);
};
