import { expect, inject, test } from 'vitest';
import { call, outcome, routes } from '../../support/api.ts';

const paths = [...new Set(routes.map(({ path }) => path))];
const methods = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'];

test.each(paths)('%s says which methods it has to each other one', async (path) => {
  const own = routes.filter((one) => one.path === path).map(({ method }) => method as string);
  // The service that is tried has origins of pages, so preflights.
  const allowed = [...own, 'OPTIONS'].sort().join(', ');
  const address = path.replace(/\{\w+\}/g, crypto.randomUUID());
  for (const method of methods.filter((one) => !own.includes(one))) {
    const { status, headers, body } = await call(method, address, {
      ...(method !== 'GET' && { body: '{"a":1}' }),
    });
    expect([method, status, headers.get('allow')]).toEqual([method, 405, allowed]);
    expect(body.error).toMatchObject({
      code: 'method_not_allowed',
      details: [{ path: 'method', message: `can be ${allowed}` }],
    });
  }
});

test('HEAD is none of them, and has no body; where nothing is, each method is not found', async () => {
  const { baseUrl } = inject('service');
  const head = await fetch(`${baseUrl}/leads`, { method: 'HEAD' });
  expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, OPTIONS, POST']);
  expect(await head.text()).toBe('');
  for (const method of methods) expect(outcome(await call(method, '/nothing'))).toBe('not_found');
});
