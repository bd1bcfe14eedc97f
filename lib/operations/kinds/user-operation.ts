import type { ReadGrant } from '../../table/grants.ts';
import type { ReadOnly } from '../../table/table.ts';
import type { ReplyOf, RequestOf, Schema, SelfCall } from '../request.ts';
import type { Route } from '../route.ts';

/**
 * An operation about whoever calls, in no organization, for everyone with a valid token or API key: it reads what
 * is the caller's own.
 */
export interface UserOperation<
  G extends ReadGrant = ReadGrant,
  S extends { query?: Schema } = { query?: Schema },
  Response extends Schema = Schema,
> extends Route<S & { path?: undefined; body?: undefined }, Response> {
  scope: 'user';
  method: 'GET';
  permission?: undefined;
  idempotent?: undefined;
  takesIfMatch?: undefined;
  hasEtag?: undefined;
  table: readonly G[];
  handle(call: SelfCall<RequestOf<S>>, table: ReadOnly<G>): Promise<ReplyOf<Response>>;
}

// biome-ignore lint/suspicious/noExplicitAny: what the chain needs of an operation does not depend on its types.
export type AnyUserOperation = UserOperation<any, any, any>;

export const defineUserOperation = <
  const G extends ReadGrant,
  S extends { query?: Schema },
  Response extends Schema,
>(
  operation: Omit<UserOperation<G, S, Response>, 'scope'>,
): UserOperation<G, S, Response> & { kind: 'routed' } => ({
  kind: 'routed',
  scope: 'user',
  ...operation,
});
