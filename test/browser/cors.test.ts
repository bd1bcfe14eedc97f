import { startGateway } from '@leads-and-stars/runner';
import type { Page } from 'playwright-core';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type Organization, provision } from '../support/organization.ts';
import { openContext, useChromium } from './chromium.ts';

useChromium();

const { api, baseUrl, pageOrigin } = inject('service');
/** The same server by another name: another origin, which is not configured. */
const otherOrigin = pageOrigin.replace('localhost', '127.0.0.1');

let organization: Organization;

beforeAll(async () => {
  organization = await provision();
});

const openPage = async (origin: string): Promise<Page> => {
  const page = await (await openContext()).newPage();
  await page.goto(origin);
  return page;
};

interface Sent {
  /** Of the service, unless told. */
  base?: string;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Instead of `body`: so many characters. */
  length?: number;
}

/** What a script in the page gets; `refused` where the browser gives it nothing. */
const ask = (page: Page, sent: Sent) =>
  page.evaluate(
    async ({ url, method = 'GET', headers = {}, body, length }) => {
      try {
        const response = await fetch(url, {
          method,
          headers,
          ...((body ?? length) && { body: body ?? 'x'.repeat(length ?? 0) }),
        });
        const text = await response.text();
        return {
          status: response.status,
          code: text && JSON.parse(text).error?.code,
          requestId: response.headers.get('x-request-id'),
          etag: response.headers.get('etag'),
          replayed: response.headers.get('idempotency-replayed'),
          retryAfter: response.headers.get('retry-after'),
          hidden: response.headers.get('vary'),
        };
      } catch {
        return 'refused' as const;
      }
    },
    { url: `${sent.base ?? baseUrl}${sent.path}`, ...sent },
  );

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

const aLead = (): Sent => ({
  path: '/leads',
  method: 'POST',
  headers: {
    ...organization.headers(),
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  },
  body: JSON.stringify({ contact_name: 'Maria Silva', pipeline_id: organization.pipelineId }),
});

test('a page of a configured origin writes, and reads body and headers; another may not', async () => {
  const page = await openPage(pageOrigin);
  const sent = aLead();
  const first = { status: 201, requestId: uuid, etag: '"1"', replayed: null, hidden: null };
  expect(await ask(page, sent)).toMatchObject(first);
  expect(await ask(page, sent)).toMatchObject({ ...first, replayed: 'true' });
  const before = await organization.readAll('/leads');
  expect(await ask(await openPage(otherOrigin), aLead())).toBe('refused');
  // Its preflight was refused, so nothing was sent.
  expect(await organization.readAll('/leads')).toEqual(before);
});

test('every method passes the preflight', async () => {
  const page = await openPage(pageOrigin);
  const { id } = await organization.lead();
  const headers = { ...organization.headers(), 'content-type': 'application/json' };
  const statusOf = async (method: string, path: string, body?: object) => {
    const all = { ...headers, ...(method === 'PATCH' && { 'if-match': '"1"' }) };
    const sent = { path, method, headers: all, ...(body && { body: JSON.stringify(body) }) };
    const answer = await ask(page, sent);
    return answer !== 'refused' && answer.status;
  };
  const statuses = [
    await statusOf('GET', `/leads/${id}`),
    await statusOf('PATCH', `/leads/${id}`, { stage: 'won' }),
    await statusOf('DELETE', `/leads/${id}`),
    await statusOf('PUT', `/members/${crypto.randomUUID()}`, { role: 'viewer' }),
  ];
  expect(statuses).toEqual([200, 200, 204, 200]);
});

test('a function’s refusal is read by a page of a configured origin, and by no other', async () => {
  const expected = { status: 401, code: 'unauthenticated', requestId: uuid };
  const sent = { path: '/leads' };
  expect(await ask(await openPage(pageOrigin), sent)).toMatchObject(expected);
  expect(await ask(await openPage(otherOrigin), sent)).toBe('refused');
});

test('what the gateway answers by itself is read by a page too', async () => {
  const page = await openPage(pageOrigin);
  const expected = (status: number, code: string) => ({ status, code, requestId: uuid });
  expect(await ask(page, { path: '/unknown' })).toMatchObject(expected(404, 'not_found'));
  const { body: _, ...request } = aLead();
  const tooLarge = { ...request, length: 10 * 1024 * 1024 + 1 };
  expect(await ask(page, tooLarge)).toMatchObject(expected(413, 'payload_too_large'));
  // Another origin's page does not get as far as sending that.
  expect(await ask(await openPage(otherOrigin), tooLarge)).toBe('refused');
});

/** The service's gateway, were it to throttle each request: it answers so where a function has failed. */
const throttledGateway = () => {
  const responses = new Map(api.gatewayResponses);
  responses.set('DEFAULT_5XX', responses.get('THROTTLED')!);
  const invoke = async () => ({ kind: 'error', errorType: '', errorMessage: '' }) as const;
  return startGateway({ ...api, gatewayResponses: responses }, { port: 0, invoke });
};

test('a page that is throttled reads when to try again, and by what id to ask about it', async () => {
  const { baseUrl: base, close } = await throttledGateway();
  onTestFinished(close);
  const refused = { status: 429, code: 'rate_limited', retryAfter: '1', requestId: uuid };
  const headers = { authorization: 'Bearer x' };
  expect(await ask(await openPage(pageOrigin), { base, path: '/leads', headers })).toMatchObject(
    refused,
  );
  // Nothing in it is a secret.
  expect(await ask(await openPage(otherOrigin), { base, path: '/leads' })).toMatchObject(refused);
});
