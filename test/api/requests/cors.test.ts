import { expect, inject, test } from 'vitest';
import { call, routes } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';

const { baseUrl, pageOrigin } = inject('service');
const configured = ['https://first.example', pageOrigin];
const others = ['https://other.example', 'null', `${pageOrigin}0`, pageOrigin.toUpperCase()];
const exposed = 'X-Request-Id,ETag,Retry-After,Idempotency-Replayed,RateLimit-Policy,RateLimit';

const allowed = (headers: Headers) => headers.get('access-control-allow-origin');

test.each([...new Set(routes.map(({ path }) => path))])(
  'the preflight of %s allows the configured origins, and no other',
  async (path) => {
    const preflight = (origin: string) =>
      fetch(`${baseUrl}${path.replace(/\{\w+\}/g, crypto.randomUUID())}`, {
        method: 'OPTIONS',
        headers: { 'access-control-request-method': 'PATCH', origin },
      });
    for (const origin of configured) {
      const { status, headers } = await preflight(origin);
      expect([status, allowed(headers)]).toEqual([204, origin]);
      expect(headers.get('vary')).toBe('Origin');
      expect(headers.get('access-control-allow-methods')).toBe('GET,POST,PUT,PATCH,DELETE');
      expect(headers.get('access-control-allow-headers')).toBe(
        'Authorization,Content-Type,X-Organization-Id,Idempotency-Key,If-Match,MCP-Protocol-Version,Mcp-Method,Mcp-Name',
      );
    }
    // The template has one rule for all paths: the others are tried on one.
    for (const origin of path === '/leads' ? others : others.slice(0, 1))
      expect(allowed((await preflight(origin)).headers)).not.toBe(origin);
  },
);

test('an answer of a function names the origin if it is configured, and varies by it', async () => {
  const organization = await provision();
  const get = (headers: Record<string, string>) => organization.get('/leads', { headers });
  for (const origin of configured) {
    const { status, headers } = await get({ origin });
    expect([status, allowed(headers), headers.get('vary')]).toEqual([200, origin, 'Origin']);
    expect(headers.get('access-control-expose-headers')).toBe(exposed);
  }
  for (const origin of others) {
    const { headers } = await get({ origin });
    expect([allowed(headers), headers.get('vary')]).toEqual([null, 'Origin']);
  }
  const { headers } = await get({});
  expect([allowed(headers), headers.get('vary')]).toEqual([null, 'Origin']);
});

test('an answer of the gateway is for everyone to read: it can’t tell origins apart', async () => {
  for (const origin of [...configured, ...others]) {
    const { status, headers } = await call('GET', '/unknown', { headers: { origin } });
    expect([status, allowed(headers)]).toEqual([404, '*']);
    expect(headers.get('access-control-expose-headers')).toBe(exposed);
  }
});

test('an answer allows no credentials, wherever it comes from', async () => {
  for (const path of ['/leads', '/unknown']) {
    const { headers } = await call('GET', path, { headers: { origin: pageOrigin } });
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  }
});
