import express, { type ErrorRequestHandler } from 'express';
import serverless from 'serverless-http';
import { parse } from 'zod/mini';
import { leadInput } from '../../../lib/leads/lead.ts';
import { createLead, errorOf, userOf } from './work.ts';

const app = express();
app.use(express.json());

app.post('/leads', async (request, response) => {
  const userId = await userOf(request.get('authorization'));
  const organizationId = request.get('x-organization-id') ?? '';
  const idempotencyKey = request.get('idempotency-key');
  const input = parse(leadInput, request.body);
  const { headers, body } = await createLead({ organizationId, userId, idempotencyKey }, input);
  response.status(201).set(headers).json(body);
});

app.use(((error, request, response, _next) => {
  const { status, body } = errorOf(error, request.get('x-request-id') ?? '');
  response.status(status).json(body);
}) as ErrorRequestHandler);

export const handler = serverless(app);
