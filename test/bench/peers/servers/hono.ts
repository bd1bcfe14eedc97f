import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { errorOf } from '../work.ts';
import { listening, operations, perform } from './work.ts';

const app = new Hono();

for (const operation of Object.values(operations)) {
  const { method, path, response } = operation;
  const route = `/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  app.on(method, route, async (c) => {
    const { headers, body } = await perform(operation, {
      authorization: c.req.header('authorization'),
      organizationId: c.req.header('x-organization-id'),
      idempotencyKey: c.req.header('idempotency-key'),
      path: c.req.param(),
      query: new URL(c.req.url).search,
      body: method === 'GET' ? undefined : await c.req.json(),
    });
    return c.json(body as object, response.status as ContentfulStatusCode, headers);
  });
}

app.onError((error, c) => {
  const { status, body } = errorOf(error, c.req.header('x-request-id') ?? '');
  return c.json(body, status as ContentfulStatusCode);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => listening(port));
