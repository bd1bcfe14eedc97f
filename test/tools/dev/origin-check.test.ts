import { expect, inject, test } from 'vitest';
import { ask, foreignHeaders } from '../../../packages/runner/test/ask.ts';

// What a page in somebody's browser may ask of what `npm run dev` serves beside the API.

const { origin } = new URL(inject('service').baseUrl);
const redirect = `redirect_uri=${encodeURIComponent(`${origin}/docs/`)}`;

test.each([
  ['the reference', 'GET', '/docs/', 200],
  ['the login', 'GET', `/docs/login?${redirect}`, 200],
  ['a code', 'GET', `/docs/issuer/authorize?response_type=code&${redirect}`, 302],
  ['a token', 'POST', '/docs/issuer/token', 400],
])('%s is for its own page, and for no other', async (_what, method, path, status) => {
  expect(await ask(`${origin}${path}`, method, { origin })).toBe(status);
  for (const headers of foreignHeaders) {
    expect([headers, await ask(`${origin}${path}`, method, headers)]).toEqual([headers, 403]);
  }
});

test('no other page can have the reference in a frame', async () => {
  const { headers } = await fetch(`${origin}/docs/`);
  expect(headers.get('x-frame-options')).toBe('DENY');
});
