import type { ActionOf, Grant } from '../../table/grants.ts';
import type { Table } from '../../table/table.ts';
import type { PlatformPermission } from '../permissions.ts';
import type { CallerCall, ReplyOf, RequestOf, Schema } from '../request.ts';
import type { Route } from '../route.ts';

interface CallerSchemas {
  path?: Schema;
  query?: Schema;
  body?: Schema;
}

/** Who may call: everyone with a valid token or API key, to read what is the caller's own; or only a platform key. */
type OperationScope =
  | { scope: 'user'; method: 'GET'; permission?: undefined }
  | { scope: 'platform'; permission: PlatformPermission };

/** An operation in no organization, without idempotency records: what it writes is named by its path, so a repeat does nothing. */
export type CallerOperation<
  G extends Grant = Grant,
  S extends CallerSchemas = CallerSchemas,
  Response extends Schema = Schema,
> = Route<S, Response> &
  OperationScope & {
    idempotent?: undefined;
    takesIfMatch?: undefined;
    hasEtag?: undefined;
    table: readonly G[];
    handle(call: CallerCall<RequestOf<S>>, table: Table<ActionOf<G>>): Promise<ReplyOf<Response>>;
  };

// biome-ignore lint/suspicious/noExplicitAny: what the chain needs of an operation does not depend on its types.
export type AnyCallerOperation = CallerOperation<any, any, any>;

export const defineCallerOperation = <
  const G extends Grant,
  S extends CallerSchemas,
  Response extends Schema,
>(
  operation: CallerOperation<G, S, Response>,
): CallerOperation<G, S, Response> & { kind: 'routed' } => ({ kind: 'routed', ...operation });
