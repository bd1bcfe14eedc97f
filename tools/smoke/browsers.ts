import { exposedHeaders } from '../../lib/handlers/http/response-headers.ts';
import { methods } from '../../lib/operations/route.ts';
import { type ApiResponse, ask, differencesOfStatus } from './api-response.ts';
import { type Check, NotTriedError } from './check.ts';
import type { SmokeTarget } from './target.ts';

const nobody = 'https://origin.invalid';
const allowed = 'access-control-allow-origin';

const preflight = (target: SmokeTarget, origin: string): Promise<ApiResponse> =>
  ask(target, 'OPTIONS', '/leads', {
    headers: { origin, 'access-control-request-method': 'POST' },
  });

/** The origin that API Gateway names to an origin that it does not know: the deployment's first. */
const firstOrigin = async (target: SmokeTarget): Promise<string> => {
  const answer = await preflight(target, nobody);
  const origin = answer.headers.get(allowed);
  if (origin) return origin;
  if (answer.status === 404)
    throw new NotTriedError('No origins are configured (the option cors_origins).');
  throw new Error(differencesOfStatus(answer, 204).join(' ') || `It has no ${allowed}.`);
};

const lacking = (answer: ApiResponse, header: string, wanted: readonly string[]): string[] => {
  const there = (answer.headers.get(header) ?? '').toLowerCase().split(/\s*,\s*/);
  const missing = wanted.filter((one) => !there.includes(one.toLowerCase()));
  return missing.length > 0 ? [`${header} lacks ${missing.join(', ')}.`] : [];
};

const differencesOfOrigin = (
  what: string,
  answer: ApiResponse,
  origin: string | null,
): string[] => {
  const named = answer.headers.get(allowed);
  return named === origin ? [] : [`${what} names the origin ${named} instead of ${origin}.`];
};

/** Checks of what pages of the configured origins may do. */
export const browserChecks: Check[] = [
  {
    title: 'a preflight of a configured origin allows what the API takes',
    run: async (target) => {
      const origin = await firstOrigin(target);
      const answer = await preflight(target, origin);
      const headers = ['Authorization', 'Content-Type', 'X-Organization-Id', 'Idempotency-Key'];
      return [
        ...differencesOfStatus(answer, 204),
        ...differencesOfOrigin('The preflight', answer, origin),
        ...lacking(answer, 'access-control-allow-methods', methods),
        ...lacking(answer, 'access-control-allow-headers', [...headers, 'If-Match']),
      ];
    },
  },
  {
    title:
      'a page of a configured origin can read errors of functions and of API Gateway, others only the latter',
    run: async (target) => {
      const origin = await firstOrigin(target);
      const from = (path: string, one: string) =>
        ask(target, 'GET', path, { headers: { origin: one } });
      const ofFunction = await from('/leads', origin);
      const ofGateway = await from('/no-such-route', origin);
      return [
        ...differencesOfOrigin('A function', ofFunction, origin),
        ...lacking(ofFunction, 'access-control-expose-headers', exposedHeaders),
        ...differencesOfOrigin('To others, a function', await from('/leads', nobody), null),
        ...differencesOfOrigin('API Gateway', ofGateway, '*'),
        ...lacking(ofGateway, 'access-control-expose-headers', exposedHeaders),
      ];
    },
  },
];
