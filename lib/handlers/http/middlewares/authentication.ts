import type { OpenRequest } from '../../../admission/open-request.ts';
import { unauthenticated } from '../../../errors/errors.ts';
import { type Caller, refuseApiKey } from '../../../organizations/caller.ts';
import { isMeantAsApiKey, parseApiKey } from '../../../tokens/api-key.ts';
import type { TokenVerifier } from '../../../tokens/verifier.ts';
import { headerValues, type SentHeaders } from '../headers.ts';
import type { Middleware } from '../middleware.ts';

/** RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). */
const bearer = /^bearer +([^ ,]+)$/i;
/** RFC 6750, 2.1: what a token can be. */
const token = /^[\w.~+/-]+=*$/;

/** Learns who calls. Throws `unauthenticated`. */
export const authentication = (verifier: () => TokenVerifier): Middleware<OpenRequest, Caller> => ({
  before: async ({ event, context }) => {
    Object.assign(context, await readCaller(event, verifier));
  },
});

/**
 * Who calls, by the header `Authorization: Bearer <id_token or API key>`. Admission finds out whether there is such a
 * key.
 */
const readCaller = async (event: SentHeaders, verifier: () => TokenVerifier): Promise<Caller> => {
  const values = headerValues(event, 'Authorization');
  const credential = values.length === 1 ? bearer.exec(values[0] ?? '')?.[1] : undefined;
  if (!credential) {
    throw unauthenticated('must be sent once, as “Bearer ” and an id_token or an API key');
  }
  if (!token.test(credential)) {
    throw unauthenticated(
      'has a sign that no token has: nothing, such as a quotation mark or a bracket, may stand around the token',
    );
  }
  if (!isMeantAsApiKey(credential)) return { userId: await verifier().verify(credential) };
  const apiKey = parseApiKey(credential) ?? refuseApiKey('has a malformed API key');
  return { userId: apiKey.id, apiKey };
};
