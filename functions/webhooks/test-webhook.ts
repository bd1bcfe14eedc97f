import { v7 } from 'uuid';
import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { changeLatestWebhook } from '../../lib/webhooks/change-latest-webhook.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import { webhookPath } from '../../lib/webhooks/webhook.ts';
import { mostTests, testWebhookWrites } from '../../lib/webhooks/writes.ts';

export const operation = defineOperation({
  id: 'testWebhook',
  summary: 'Test webhook',
  description:
    'Has a test message posted to a webhook, whatever its status. The message has the type `webhook.test` and no `sequence`. It is not tried again where it fails, but it may come twice, with the same `webhook-id`. What became of it is in the webhook’s deliveries, under `delivery_id`. At most 10 tests of a webhook wait to be sent.',
  method: 'POST',
  path: '/webhooks/{webhook_id}/test',
  permission: 'webhooks:write',
  request: { path: webhookPath },
  idempotent: true,
  response: {
    status: 202,
    body: z.strictObject({ delivery_id: z.uuid() }).check(z.meta({ id: 'WebhookTest' })),
  },
  errors: ['not_found', 'idempotency_key_reused', 'limit_reached', 'write_conflict'],
  table: ['GetItem', 'UpdateItem WEBHOOKS#', 'PutItem WAKE#'],

  read: ({ organizationId, path }, table) => readWebhook(table, organizationId, path.webhook_id),

  handle: (call, webhookItem, table, commit) =>
    changeLatestWebhook(call, webhookItem, table, (item) => {
      if (Object.keys(item.tests).length >= mostTests) {
        throw new ApiError('limit_reached');
      }
      const id = v7();
      return commit(testWebhookWrites(call.organizationId, item, id, call.now), {
        body: { delivery_id: id },
      });
    }),
});

export const handler = serve(operation);
