import { ApiError } from '../../errors/errors.ts';
import type { TokenVerifier } from '../../tokens/verifier.ts';
import type { Step } from './chain.ts';
import type { RequestContext } from './envelope.ts';

/** RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). */
const bearer = /^bearer +([^ ,]+)$/i;

export interface Caller {
  userId: string;
}

/** Learns who calls from the one `Authorization: Bearer <id_token>`. Throws `unauthenticated`. */
export const authentication =
  (verifier: () => TokenVerifier): Step<RequestContext, Caller> =>
  async ({ headers }) => {
    const values = headers.get('authorization') ?? [];
    const token = values.length === 1 ? bearer.exec(values[0] ?? '')?.[1] : undefined;
    if (!token) throw new ApiError('unauthenticated');
    return { userId: await verifier().verify(token) };
  };
