import { randomBytes, randomUUID } from 'node:crypto';
import { algorithms } from '../../lib/tokens/id-token.ts';
import { isForSignatures } from '../../lib/tokens/issuer-keys.ts';
import { fetchKeySet } from '../../lib/tokens/key-set.ts';
import { ask, differencesOfError, differencesOfStatus, withRequest } from './api-response.ts';
import { type Check, NotTriedError } from './check.ts';
import type { Issuer, Target } from './target.ts';

/** Whether users get in, and others don’t. */
export const loginChecks: Check[] = [
  {
    title: 'a user who logs in is known',
    run: async (target) => {
      if (!target.logIn) throw new NotTriedError(target.noLoginReason);
      const token = await target.logIn();
      target.made.token = token;
      const headers = { authorization: `Bearer ${token}` };
      return withRequest(
        'GET /me',
        differencesOfStatus(await ask(target, 'GET', '/me', { headers }), 200),
      );
    },
  },
  {
    title: 'a token that somebody else has signed is refused: the functions have the issuer’s keys',
    run: async (target) => {
      const headers = { authorization: `Bearer ${await forgedToken(target)}` };
      // A service without keys would answer 503.
      return differencesOfError(await ask(target, 'GET', '/leads', { headers }), 'unauthenticated');
    },
  },
];

/** A token with all that one of the issuer’s has, but for the signature. */
const forgedToken = async ({ issuer, made: { token } }: Target): Promise<string> => {
  const [header, payload] = issuer ? await partsOfToken(issuer) : (token?.split('.') ?? []);
  if (!header || !payload) throw new NotTriedError('There is no token whose signature to change.');
  return [header, payload, randomBytes(signatureBytes(header)).toString('base64url')].join('.');
};

/** Names a key that the issuer publishes. Throws where it publishes none that the service could use. */
const partsOfToken = async ({ issuer, audience, jwksUri }: Issuer): Promise<string[]> => {
  const { keys } = await fetchKeySet(jwksUri).catch((error) => {
    throw new Error(`The issuer gives no keys at ${jwksUri}: ${error.message}.`);
  });
  const key = keys.find(isForSignatures);
  const named = Object.entries(algorithms).find(
    ([, { kty, crv }]) => kty === key?.kty && crv === key.crv,
  );
  if (!key || !named) throw new Error(`No key at ${jwksUri} can check an id_token.`);
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    aud: audience,
    sub: randomUUID(),
    token_use: 'id',
    iat: now,
    exp: now + 300,
  };
  return [{ alg: named[0], kid: key.kid, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
};

/** As long as a signature is (RFC 7518, 3.3 and 3.4), with the shortest RSA key. */
const signatureBytes = (header: string): number => {
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
  return { ES256: 64, ES384: 96, ES512: 132 }[String(alg)] ?? 256;
};
