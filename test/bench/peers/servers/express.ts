import type { AddressInfo } from 'node:net';
import express from 'express';
import { envelope } from '../express-envelope.ts';
import { listening, operations, perform } from './work.ts';

const app = express();
app.use(express.json());

for (const operation of Object.values(operations)) {
  const { method, path, response } = operation;
  const route = `/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  app[method === 'GET' ? 'get' : 'post'](route, async (request, answer) => {
    const { headers, body } = await perform(operation, {
      authorization: request.get('authorization'),
      organizationId: request.get('x-organization-id'),
      idempotencyKey: request.get('idempotency-key'),
      path: request.params as Record<string, string>,
      query: new URL(request.originalUrl, 'http://localhost').search,
      body: request.body,
    });
    answer
      .status(response.status)
      .set(headers ?? {})
      .json(body);
  });
}

app.use(envelope);

const server = app.listen(0, '127.0.0.1', () => listening((server.address() as AddressInfo).port));
