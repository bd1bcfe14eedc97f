import { ask, differencesOfError, differencesOfStatus } from './api-response.ts';
import type { Check } from './check.ts';

/** Looks like a token. */
const someToken = 'eyJhbGciOiJSUzI1NiIsImtpZCI6InNtb2tlIn0.eyJzdWIiOiJzbW9rZSJ9.c21va2U';

const megabyte = 1024 * 1024;
const unknown = '/no-such-route';
const json = { 'content-type': 'application/json' };

/** Checks what API Gateway answers by itself, and what it hands on to the functions. */
export const gatewayChecks: Check[] = [
  {
    title: 'an unknown route is 404 not_found, without a token',
    run: async (target) => differencesOfError(await ask(target, 'GET', unknown), 'not_found'),
  },
  {
    title: '… and with one, which API Gateway may take for a bad AWS signature',
    run: async (target) => {
      const headers = { authorization: `Bearer ${someToken}` };
      return differencesOfError(await ask(target, 'GET', unknown, { headers }), 'not_found');
    },
  },
  {
    title: 'a request without a token is 401 unauthenticated',
    run: async (target) =>
      differencesOfError(await ask(target, 'GET', '/leads'), 'unauthenticated'),
  },
  {
    title: '… and with one of nobody',
    run: async (target) => {
      const headers = { authorization: `Bearer ${someToken}` };
      return differencesOfError(await ask(target, 'GET', '/leads', { headers }), 'unauthenticated');
    },
  },
  {
    title: 'a body of 7 MB, more than Lambda takes, is 413 payload_too_large',
    run: async (target) => {
      const body = 'x'.repeat(7 * megabyte);
      const answer = await ask(target, 'POST', '/leads', { headers: json, body });
      return differencesOfError(answer, 'payload_too_large');
    },
  },
  {
    title: 'a body of 11 MB, more than API Gateway takes, is 413 in whatever form',
    run: async (target) => {
      const body = 'x'.repeat(11 * megabyte);
      return differencesOfStatus(await ask(target, 'POST', '/leads', { headers: json, body }), 413);
    },
  },
];
