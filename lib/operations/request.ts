import type * as z from 'zod/mini';
import type { CallerOrigin } from '../facts/origin.ts';
import type { IfMatch } from '../schema/etag.ts';
import type { CallerRole, Permission } from './permissions.ts';
import type { PresentedKey } from './presented-key.ts';

export type Schema = z.core.$ZodType;

/** The schemas of what is sent. An operation has none for a part that it does not take. */
export interface RequestSchemas {
  path?: Schema | undefined;
  query?: Schema | undefined;
  body?: Schema | undefined;
}

/** The parts of a request after the schemas. */
export interface Request {
  path: unknown;
  query: unknown;
  body: unknown;
}

/** The request that such schemas give: undefined for what has none. */
export type RequestOf<S extends RequestSchemas> = {
  [K in keyof Request]: S[K] extends Schema ? z.core.output<S[K]> : undefined;
};

/** The call of an operation without an organization: all of it is verified. */
export type UserCall<R extends Partial<Request> = Request> = {
  [K in keyof Request]: K extends keyof R ? R[K] : unknown;
} & {
  userId: string;
  /** Who makes what is changed, as facts tell it, and the request. */
  origin: CallerOrigin;
  /** The versions that `If-Match` names. */
  ifMatch: IfMatch;
  /** Milliseconds since the epoch, the same throughout the request. */
  now: number;
};

/** The call of an operation in no organization. */
export type CallerCall<R extends Partial<Request> = Request> = Omit<UserCall<R>, 'ifMatch'> & {
  /** The key with which the caller called, if that was no token. */
  ownApiKey?: OwnApiKey | undefined;
};

/** The API key of whoever calls. */
export interface OwnApiKey {
  id: string;
  name: string;
  role: CallerRole;
  permissions: readonly Permission[];
  /** The key's organization; for a platform key, the organization that the request names. */
  organizationId: string | undefined;
}

/** The call of an operation: all of it is verified, except that `read` runs before the membership is. */
export type Call<R extends Partial<Request> = Request> = UserCall<R> & {
  organizationId: string;
  /** The key with which the caller calls, if that is no token. */
  apiKey?: PresentedKey | undefined;
};

/** The organization's limit of requests, for work that is dear: it has to be counted before it is done. */
export interface Limit {
  /**
   * Counts a batch whole, by the units that it is going to write, before its first part: throws `rate_limited`. After it,
   * nothing of the request is refused any more.
   */
  countWhole(units: number): Promise<void>;
  /** Returns when a batch may go on, so that it leaves the table to others. */
  pace(): Promise<void>;
  /** Counts what workers are going to write for the request after its reply, in units. Throws `rate_limited`. */
  countLater(units: number): Promise<void>;
}

/** The call that `handle` gets: by then the caller is known. */
export type MemberCall<R extends Partial<Request> = Request> = Call<R> & {
  /** The caller's, in this organization. */
  role: CallerRole;
  /** Whose stars the caller spends alone, if its key was made so. */
  spender: string | undefined;
  /** Asks again, for work that goes on for long: throws `unauthenticated` or `forbidden` if the caller may no longer. */
  assertAllowed(): Promise<void>;
  limit: Limit;
};

/** A body that is undefined is not sent. */
export interface Reply<B = unknown> {
  status?: number | undefined;
  headers?: Record<string, string> | undefined;
  body: B;
  /**
   * The leads whose fields or notes the answer tells though nothing was written for it: whoever erases one of
   * them has to find the answer under its idempotency key. An operation that gives this has `traceGrants`.
   */
  leadIds?: readonly string[];
}

/** The reply of an operation with such a response. */
export type ReplyOf<Response extends Schema> = Reply<z.core.output<Response>>;
