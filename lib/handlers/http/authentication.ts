import { ApiError } from '../../errors/errors.ts';
import { type Caller, refuseApiKey } from '../../organizations/caller.ts';
import { isMeantAsApiKey, parseApiKey } from '../../tokens/api-key.ts';
import type { TokenVerifier } from '../../tokens/verifier.ts';
import type { Step } from './chain.ts';
import type { RequestContext } from './envelope.ts';

/** RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). */
const bearer = /^bearer +([^ ,]+)$/i;

/**
 * Learns who calls from the one `Authorization: Bearer <id_token or API key>`. That there is such a key, admission finds
 * out. Throws `unauthenticated`.
 */
export const authentication =
  (verifier: () => TokenVerifier): Step<RequestContext, Caller> =>
  async ({ headers }) => {
    const values = headers.get('authorization') ?? [];
    const credential = values.length === 1 ? bearer.exec(values[0] ?? '')?.[1] : undefined;
    if (!credential) throw new ApiError('unauthenticated');
    if (!isMeantAsApiKey(credential)) return { userId: await verifier().verify(credential) };
    const apiKey = parseApiKey(credential) ?? refuseApiKey('has a malformed API key');
    return { userId: apiKey.id, apiKey };
  };
