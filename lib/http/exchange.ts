import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { invalid } from '../errors.ts';
import type { Call } from '../operation.ts';
import type { Role } from '../permissions.ts';
import type { TableClient } from '../table/client.ts';

/** What the chain learns about one request, in the order in which it learns it. */
export interface Exchange {
  requestId: string;
  startedAt: number;
  /** Names in lower case, every value that was sent. */
  headers: ReadonlyMap<string, readonly string[]>;
  userId?: string;
  /** Its calls end when the request has to be answered. */
  table?: TableClient;
  organizationId?: string;
  /** The caller's role, once it was read; rejects with `forbidden`. */
  membership?: Promise<Role>;
  call?: Call<unknown, unknown, unknown>;
}

export type ChainContext = Context & { exchange: Exchange };

export type ChainRequest = Request<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  Error,
  ChainContext
>;

/** The one value of a header. Throws `invalid_request` when it was sent more than once. */
export const singleHeader = (exchange: Exchange, name: string): string | undefined => {
  const values = exchange.headers.get(name.toLowerCase()) ?? [];
  if (values.length > 1) throw invalid(name, 'must be sent once');
  return values[0];
};
