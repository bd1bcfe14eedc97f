import type { ErrorCode } from '../errors/errors.ts';
import type { RequestSchemas, Schema } from './request.ts';

/** The methods of operations, in the order of the reference. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What every operation of the API has: the gateway, the docs and the tests read this. */
export interface Route<
  S extends RequestSchemas = RequestSchemas,
  Response extends Schema = Schema,
> {
  /** The operationId; the file is named after it. */
  id: string;
  /** The operation's name in the reference: what it does and to what, in a few words. */
  summary: string;
  /** What the operation does, and what its callers have to know of it. CommonMark. */
  description: string;
  method: (typeof methods)[number];
  path: `/${string}`;
  request: S;
  /** `orElse`: another status of success, of what was there before. */
  response: { status: number; orElse?: number; body: Response };
  /** Codes beyond those that every operation may answer. */
  errors: readonly ErrorCode[];
}

/** The statuses with which an operation may succeed. */
export const successesOf = ({ response: { status, orElse } }: Route): number[] =>
  orElse === undefined ? [status] : [status, orElse];

/** Whether its answers of success have a body. */
export const hasBody = ({ response }: Route): boolean =>
  response.body._zod.def.type !== 'undefined';

/** Every code that an operation may answer: the chain's, the gateway's and its own. */
export const errorsOf = (
  operation: Route & { scope?: 'organization' | 'user' | 'platform' },
): ErrorCode[] => [
  'invalid_request',
  'unauthenticated',
  ...(operation.scope === 'user' ? [] : (['forbidden'] as const)),
  ...((operation.scope ?? 'organization') === 'organization'
    ? (['organization_suspended'] as const)
    : []),
  'payload_too_large',
  ...(operation.request.body ? (['unsupported_media_type'] as const) : []),
  'rate_limited',
  'internal',
  'unavailable',
  'timeout',
  ...operation.errors,
];
