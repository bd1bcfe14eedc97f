import type { MiddlewareObj } from '@middy/core';
import { ApiError } from '../errors.ts';
import type { TokenVerifier } from '../tokens.ts';
import type { ChainRequest } from './exchange.ts';

/** RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). */
const bearer = /^bearer +([^ ,]+)$/i;

/** Learns who calls from the one `Authorization: Bearer <id_token>`. */
export const authentication = (verifier: () => TokenVerifier): MiddlewareObj => ({
  before: async (request) => {
    const { exchange } = (request as ChainRequest).context;
    const values = exchange.headers.get('authorization') ?? [];
    const token = values.length === 1 ? bearer.exec(values[0] ?? '')?.[1] : undefined;
    if (!token) throw new ApiError('unauthenticated');
    exchange.userId = await verifier().verify(token);
  },
});
