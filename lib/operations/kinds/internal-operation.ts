import type * as z from 'zod/mini';
import type { ErrorCode } from '../../errors/errors.ts';
import type { Grant } from '../../table/grants.ts';
import type { Table } from '../../table/table.ts';
import type { Schema } from '../request.ts';

/** A function that other services invoke directly with IAM. It has no route and no caller to check. */
export interface InternalOperation<
  G extends Grant = Grant,
  Body extends Schema = Schema,
  Response extends Schema = Schema,
> {
  id: string;
  /** What it does, in a sentence. */
  summary: string;
  request: { body: Body };
  response: { body: Response };
  /** Codes beyond those that every such function may fail with. */
  errors: readonly ErrorCode[];
  table: readonly G[];
  handle(input: z.core.output<Body>, table: Table<G>): Promise<z.core.output<Response>>;
}

// biome-ignore lint/suspicious/noExplicitAny: what is needed of it does not depend on its types.
export type AnyInternalOperation = InternalOperation<any, any, any>;

export const defineInternalOperation = <
  const G extends Grant,
  Body extends Schema,
  Response extends Schema,
>(
  operation: InternalOperation<G, Body, Response>,
): InternalOperation<G, Body, Response> & { kind: 'internal' } => ({
  kind: 'internal',
  ...operation,
});

/** Every code that such a function may fail with. */
export const errorsOfInternal = (operation: AnyInternalOperation): ErrorCode[] => [
  'invalid_request',
  ...operation.errors,
  'internal',
  'unavailable',
  'timeout',
];
