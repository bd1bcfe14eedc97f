import { importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { inject } from 'vitest';

const service = inject('service');

export const now = (): number => Math.floor(Date.now() / 1000);

/** A token of the running issuer, signed with its key; claims and header fields can be overridden. */
export const sign = async (
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
  key: unknown = service.signingKey,
): Promise<string> => {
  const payload = {
    iss: service.issuer,
    aud: service.audience,
    iat: now(),
    exp: now() + 3600,
    token_use: 'id',
    ...claims,
  };
  const { kid, alg = 'RS256' } = service.signingKey;
  return new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid && { kid }), ...header })
    .sign((await importJWK(key as never, alg)) as never);
};
