import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { errorOf } from '../work.ts';
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

app.use(((error, request, response, _next) => {
  const { status, body } = errorOf(error, request.get('x-request-id') ?? '');
  response.status(status).json(body);
}) as ErrorRequestHandler);

const server = app.listen(0, '127.0.0.1', () => listening((server.address() as AddressInfo).port));
