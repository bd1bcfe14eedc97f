import { randomBytes } from 'node:crypto';
import { ask, differencesOfError, differencesOfStatus, withRequest } from './api-response.ts';
import { type Check, NotTriedError } from './check.ts';
import type { SmokeTarget } from './target.ts';

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
      const headers = { authorization: `Bearer ${forgedToken(target)}` };
      // A service without keys would answer 503.
      return differencesOfError(await ask(target, 'GET', '/leads', { headers }), 'unauthenticated');
    },
  },
];

/** The user's own token, but for the signature. */
const forgedToken = ({ made: { token } }: SmokeTarget): string => {
  const [header, payload, signature] = token?.split('.') ?? [];
  if (!signature) throw new NotTriedError('There is no token whose signature to change.');
  const { length } = Buffer.from(signature, 'base64url');
  return [header, payload, randomBytes(length).toString('base64url')].join('.');
};
