import express from 'express';
import serverless from 'serverless-http';
import { parse } from 'zod/mini';
import { leadInput } from '../../../lib/leads/lead.ts';
import { envelope } from './express-envelope.ts';
import { createLead, userOf } from './work.ts';

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

app.use(envelope);

export const handler = serverless(app);
