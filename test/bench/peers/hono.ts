import { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { parse } from 'zod/mini';
import { leadInput } from '../../../lib/leads/lead.ts';
import { createLead, errorOf, userOf } from './work.ts';

const app = new Hono<{
  Bindings: { event: LambdaEvent & { requestContext: { requestId: string } } };
}>();

app.post('/leads', async (c) => {
  const userId = await userOf(c.req.header('authorization'));
  const organizationId = c.req.header('x-organization-id') ?? '';
  const idempotencyKey = c.req.header('idempotency-key');
  const input = parse(leadInput, await c.req.json());
  const { headers, body } = await createLead({ organizationId, userId, idempotencyKey }, input);
  return c.json(body, 201, headers);
});

app.onError((error, c) => {
  const { status, body } = errorOf(error, c.env.event.requestContext.requestId);
  return c.json(body, status as 500);
});

export const handler = handle(app);
