import { expect, inject } from 'vitest';
import * as z from 'zod/mini';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { errorBody } from '../../lib/errors/error-body.ts';
import { errorKinds } from '../../lib/errors/errors.ts';
import { isInOrganization, type RoutedOperation } from '../../lib/operations/definition.ts';
import type { AnyOperation } from '../../lib/operations/kinds/operation.ts';
import { errorsOf, successesOf } from '../../lib/operations/route.ts';

const service = inject('service');

/** Every operation that has a route. */
export const routes: RoutedOperation[] = (await loadOperations())
  .filter(isRouted)
  .map(({ operation }) => operation);

/** Those that act in an organization. */
export const routed: AnyOperation[] = routes.filter(isInOrganization);

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
  text: string;
}

/** Calls the API over HTTP, and holds every answer against what its operation declares. */
export const call = async (
  method: string,
  path: string,
  init: {
    headers?: Record<string, string> | [string, string][];
    body?: string | Uint8Array<ArrayBuffer>;
  } = {},
): Promise<Answer> => {
  const response = await fetch(`${service.baseUrl}${path}`, { method, ...init });
  const text = await response.text();
  const answer = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
    text,
  };
  assertDeclared(method, path, answer);
  return answer;
};

/** The status of what was done, or the code of what was refused. */
export const outcome = ({ status, body }: Pick<Answer, 'status' | 'body'>) =>
  body?.error?.code ?? status;

/**
 * Asks again while the answer says that a repeat may help: on a busy machine a function may start too slowly. What fails by
 * itself does so again.
 */
export const insist = async (ask: () => Promise<Answer>, mostTries = 5): Promise<Answer> => {
  let answer = await ask();
  for (let tries = 1; [503, 504].includes(answer.status) && tries < mostTries; tries++) {
    answer = await ask();
  }
  return answer;
};

const assertDeclared = (method: string, path: string, { status, headers, body }: Answer): void => {
  const operation = findOperation(method, path);
  // API Gateway gives each answer one, also an empty one.
  expect(headers.get('content-type')).toBe(status === 204 ? null : 'application/json');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  const requestId = headers.get('x-request-id');
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  if (status < 300) {
    expect(successesOf(operation!)).toContain(status);
    expect(headers.has('etag')).toBe(operation!.hasEtag ?? false);
    expect(z.safeParse(operation!.response.body, body).error).toBeUndefined();
    return;
  }
  expect(z.safeParse(errorBody, body).error).toBeUndefined();
  const { code, request_id } = body.error;
  expect(request_id).toBe(requestId);
  expect(status).toBe(errorKinds[code as keyof typeof errorKinds].status);
  const declared = operation ? errorsOf(operation) : ['not_found', 'method_not_allowed'];
  expect(declared, `\`errors\` of ${operation?.id}`).toContain(code);
  expect(headers.has('x-amzn-remapped-www-authenticate')).toBe(status === 401);
  expect(headers.has('retry-after')).toBe([429, 503].includes(status));
};

const patterns = routes.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

const findOperation = (method: string, path: string): RoutedOperation | undefined => {
  const pathname = path.split('?')[0] ?? '';
  const matching = patterns
    .filter(({ pattern }) => pattern.test(pathname))
    .map(({ operation }) => operation);
  // As the gateway does: a path without parameters goes first, whichever methods it has.
  const exact = matching.filter((one) => one.path === pathname);
  return (exact.length > 0 ? exact : matching).find((one) => one.method === method);
};
