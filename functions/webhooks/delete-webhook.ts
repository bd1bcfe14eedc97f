import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { changeLatestWebhook } from '../../lib/webhooks/change-latest-webhook.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import { webhookPath } from '../../lib/webhooks/webhook.ts';
import { deleteWebhookWrites } from '../../lib/webhooks/writes.ts';

export const operation = defineOperation({
  id: 'deleteWebhook',
  summary: 'Delete webhook',
  description:
    'Deletes a webhook, with its secret and its checkpoint. For some seconds, changes may still arrive.',
  method: 'DELETE',
  path: '/webhooks/{webhook_id}',
  permission: 'webhooks:write',
  request: { path: webhookPath },
  idempotent: true,
  takesIfMatch: true,
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'idempotency_key_reused', 'precondition_failed', 'write_conflict'],
  table: [
    'GetItem',
    'DeleteItem WEBHOOKS#',
    'DeleteItem DUE',
    'PutItem WEBHOOK_FACT#',
    'UpdateItem ORG#',
  ],

  read: ({ organizationId, path }, table) => readWebhook(table, organizationId, path.webhook_id),

  handle: (call, webhookItem, table, commit) =>
    changeLatestWebhook(call, webhookItem, table, (item) =>
      commit(deleteWebhookWrites(call.organizationId, call.path.webhook_id, item, call.now), {
        body: undefined,
      }),
    ),
});

export const handler = serve(operation);
