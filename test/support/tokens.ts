import { get } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { inject } from 'vitest';

const { issuer, audience, certificate, signingKey } = inject('surroundings');

const { kid, alg = 'RS256' } = signingKey;
/** To import it takes longer than to sign. */
const ownKey = importJWK(signingKey, alg);

/** What the running issuer publishes. */
export const issuerKeys = () =>
  new Promise<Buffer>((resolve, reject) => {
    get(`${issuer}/.well-known/jwks.json`, { ca: certificate }, (response) => {
      buffer(response).then(resolve, reject);
    }).on('error', reject);
  });

export const now = (): number => Math.floor(Date.now() / 1000);

/** A token of the running issuer, signed with its key; claims and header fields can be overridden. */
export const sign = async (
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
  key: unknown = signingKey,
): Promise<string> => {
  const payload = {
    iss: issuer,
    aud: audience,
    iat: now(),
    exp: now() + 3600,
    token_use: 'id',
    ...claims,
  };
  const imported = key === signingKey ? await ownKey : await importJWK(key as never, alg);
  return new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid && { kid }), ...header })
    .sign(imported as never);
};
