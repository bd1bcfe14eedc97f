import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';
import { readPage } from '../../lib/table/pages.ts';
import { deliveriesOf, delivery } from '../../lib/webhooks/delivery/delivery-log.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import { webhookPath } from '../../lib/webhooks/webhook.ts';

export const operation = defineOperation({
  id: 'listWebhookDeliveries',
  summary: 'List webhook deliveries',
  description:
    'Lists every attempt to deliver something to a webhook, newest first. An attempt is listed about a second after its answer, and kept for 30 days. Nothing of what was sent or answered is kept.',
  method: 'GET',
  path: '/webhooks/{webhook_id}/deliveries',
  permission: 'webhooks:read',
  request: { path: webhookPath, query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(delivery) },
  errors: ['not_found', 'invalid_cursor'],
  table: ['GetItem', 'Query'],

  async read({ organizationId, path: { webhook_id }, query, now }, table) {
    const identity = [organizationId, 'listWebhookDeliveries', webhook_id] as const;
    const [webhookItem, page] = await Promise.all([
      readWebhook(table, organizationId, webhook_id),
      readPage(table, { ...deliveriesOf(organizationId, webhook_id, now), identity }, query),
    ]);
    return { webhookItem, page };
  },

  handle(_call, { webhookItem, page }) {
    if (!webhookItem) throw new ApiError('not_found');
    return { body: page };
  },
});

export const handler = serve(operation);
