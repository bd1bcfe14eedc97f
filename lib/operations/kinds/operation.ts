import type { ActionOf, Grant } from '../../table/grants.ts';
import type { Reader, ReadOnly, WriteAction } from '../../table/table.ts';
import type { Commit, PartReplies } from '../commit.ts';
import type { Permission } from '../permissions.ts';
import type { Call, MemberCall, ReplyOf, RequestOf, RequestSchemas, Schema } from '../request.ts';
import type { Route } from '../route.ts';

/** Properties of every operation in an organization: the chain and the grants read them, too. */
interface OrganizationRoute<
  G extends Grant,
  S extends RequestSchemas,
  Response extends Schema,
  Data,
> extends Route<S, Response> {
  scope?: 'organization';
  permission: Permission;
  /** Takes an `Idempotency-Key`: a repeat gets the reply of the first request. */
  idempotent?: boolean;
  /** Takes an `If-Match`. */
  takesIfMatch?: boolean;
  /** The response has an `ETag`. */
  hasEtag?: boolean;
  /** What the function may do with the table, beyond what the chain does itself. */
  table: readonly G[];
  /** Reads, maybe while the membership is still being read. The result is discarded if the caller is no member. */
  read?(call: Call<RequestOf<S>>, table: ReadOnly<ActionOf<G>>): Promise<Data>;
}

/** An operation that does one thing, or nothing. */
export interface Operation<
  G extends Grant = Grant,
  S extends RequestSchemas = RequestSchemas,
  Response extends Schema = Schema,
  Data = unknown,
> extends OrganizationRoute<G, S, Response, Data> {
  parts?: undefined;
  /** Runs once the caller is known to be a member with the permission. */
  handle(
    call: MemberCall<RequestOf<S>>,
    data: Data,
    table: Reader<ActionOf<G>>,
    commit: Commit<Extract<ActionOf<G>, WriteAction>>,
  ): ReplyOf<Response> | Promise<ReplyOf<Response>>;
  /** Adds to the reply of a repeat what its record does not hold: a record holds no secret. */
  completeReplay?(
    call: MemberCall<RequestOf<S>>,
    reply: ReplyOf<Response>,
    table: ReadOnly<ActionOf<G>>,
  ): Promise<ReplyOf<Response>>;
}

/** An operation on a list, each part of which succeeds or fails by itself. */
export interface Batch<
  G extends Grant = Grant,
  S extends RequestSchemas = RequestSchemas,
  Response extends Schema = Schema,
  Data = unknown,
> extends OrganizationRoute<G, S, Response, Data> {
  idempotent: true;
  /** The requests in its parts. */
  parts(call: Call<RequestOf<S>>): readonly unknown[];
  handle(
    call: MemberCall<RequestOf<S>>,
    data: Data,
    table: Reader<ActionOf<G>>,
    replies: PartReplies<Extract<ActionOf<G>, WriteAction>>,
  ): Promise<ReplyOf<Response>>;
}

// biome-ignore lint/suspicious/noExplicitAny: what the chain needs of an operation does not depend on its types.
type AnySingle = Operation<any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above.
type AnyBatch = Batch<any, any, any, any>;
export type AnyOperation = AnySingle | AnyBatch;

export const defineOperation = <
  const G extends Grant,
  S extends RequestSchemas,
  Response extends Schema,
  Data,
>(
  operation: Operation<G, S, Response, Data>,
): Operation<G, S, Response, Data> & { kind: 'routed' } => ({ kind: 'routed', ...operation });

export const defineBatch = <
  const G extends Grant,
  S extends RequestSchemas,
  Response extends Schema,
  Data,
>(
  batch: Omit<Batch<G, S, Response, Data>, 'idempotent'>,
): Batch<G, S, Response, Data> & { kind: 'routed' } => ({
  kind: 'routed',
  idempotent: true,
  ...batch,
});
