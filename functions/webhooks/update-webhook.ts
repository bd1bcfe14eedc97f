import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { etag } from '../../lib/schema/etag.ts';
import { changeLatestWebhook } from '../../lib/webhooks/change-latest-webhook.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import {
  toWebhook,
  toWebhookUpdate,
  webhook,
  webhookPatch,
  webhookPath,
} from '../../lib/webhooks/webhook.ts';
import { applyUpdate, updateWebhookWrites } from '../../lib/webhooks/writes.ts';

export const operation = defineOperation({
  id: 'updateWebhook',
  summary: 'Update webhook',
  description:
    'Changes a webhook, stops it or has it go on. `"status": "disabled"` stops it where it is, `"active"` goes on from there. For some seconds after that, changes may still be posted as before: to the old address, or though the webhook is `disabled`.',
  method: 'PATCH',
  path: '/webhooks/{webhook_id}',
  permission: 'webhooks:write',
  request: { path: webhookPath, body: webhookPatch },
  idempotent: true,
  takesIfMatch: true,
  hasEtag: true,
  response: { status: 200, body: webhook },
  errors: ['not_found', 'idempotency_key_reused', 'precondition_failed', 'write_conflict'],
  table: ['GetItem', 'UpdateItem WEBHOOKS#', 'PutItem WEBHOOK_FACT#', 'PutItem DUE'],

  read: ({ organizationId, path }, table) => readWebhook(table, organizationId, path.webhook_id),

  handle: (call, webhookItem, table, commit) =>
    changeLatestWebhook(call, webhookItem, table, (item) => {
      const update = toWebhookUpdate(item, call.body, call.now);
      const after = applyUpdate(item, update);
      return commit(updateWebhookWrites(call.organizationId, item, update), {
        headers: etag(after.version),
        body: toWebhook(after, call.now),
      });
    }),
});

export const handler = serve(operation);
