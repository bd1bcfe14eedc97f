import type { Grant } from '../../table/grants.ts';
import type { Table } from '../../table/table.ts';
import type { PlatformPermission } from '../permissions.ts';
import type { PlatformCall, ReplyOf, RequestOf, Schema } from '../request.ts';
import type { Route } from '../route.ts';

/**
 * An operation of the company's own backend, in no organization: only a platform key may do it. Its path names what it
 * writes, so a repeat does nothing.
 */
export interface PlatformOperation<
  G extends Grant = Grant,
  S extends { path?: Schema; body?: Schema } = { path?: Schema; body?: Schema },
  Response extends Schema = Schema,
> extends Route<S & { query?: undefined }, Response> {
  scope: 'platform';
  permission: PlatformPermission;
  idempotent?: undefined;
  takesIfMatch?: undefined;
  hasEtag?: undefined;
  table: readonly G[];
  handle(call: PlatformCall<RequestOf<S>>, table: Table<G>): Promise<ReplyOf<Response>>;
}

// biome-ignore lint/suspicious/noExplicitAny: what the chain needs of an operation does not depend on its types.
export type AnyPlatformOperation = PlatformOperation<any, any, any>;

export const definePlatformOperation = <
  const G extends Grant,
  S extends { path?: Schema; body?: Schema },
  Response extends Schema,
>(
  operation: Omit<PlatformOperation<G, S, Response>, 'scope'>,
): PlatformOperation<G, S, Response> & { kind: 'routed' } => ({
  kind: 'routed',
  scope: 'platform',
  ...operation,
});
