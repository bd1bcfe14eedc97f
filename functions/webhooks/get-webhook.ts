import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { etag } from '../../lib/schema/etag.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import { toWebhook, webhook, webhookPath } from '../../lib/webhooks/webhook.ts';

export const operation = defineOperation({
  id: 'getWebhook',
  summary: 'Get webhook',
  description:
    'Reads a webhook, and how far it has come. Its `ETag` is the version of what its owner can change, for `If-Match`: deliveries don’t change it.',
  method: 'GET',
  path: '/webhooks/{webhook_id}',
  permission: 'webhooks:read',
  request: { path: webhookPath },
  hasEtag: true,
  response: { status: 200, body: webhook },
  errors: ['not_found'],
  table: ['GetItem'],

  read: ({ organizationId, path }, table) => readWebhook(table, organizationId, path.webhook_id),

  handle({ now }, webhookItem) {
    if (!webhookItem) throw new ApiError('not_found');
    return { headers: etag(webhookItem.version), body: toWebhook(webhookItem, now) };
  },
});

export const handler = serve(operation);
