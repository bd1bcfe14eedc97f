import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { changeLatestWebhook } from '../../lib/webhooks/change-latest-webhook.ts';
import { rotateWebhookSecrets, secretMadeAt } from '../../lib/webhooks/endpoint/secrets.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import { webhookPath } from '../../lib/webhooks/webhook.ts';
import { updateWebhookWrites, type WebhookUpdate } from '../../lib/webhooks/writes.ts';

export const operation = defineOperation({
  id: 'rotateWebhookSecret',
  summary: 'Rotate webhook secret',
  description:
    'Makes a new secret for a webhook; the one before signs beside it for a day. So each message has two signatures for 24 hours. An older secret is invalid at once.',
  method: 'POST',
  path: '/webhooks/{webhook_id}/secret',
  permission: 'webhooks:write',
  request: { path: webhookPath },
  idempotent: true,
  response: {
    status: 201,
    body: z
      .strictObject({
        secret: z
          .nullable(z.string())
          .check(z.describe('Shown here only; `null` in a repeat once two newer ones were made.')),
        created_at: z.iso.datetime(),
        previous_expires_at: z.iso.datetime().check(z.describe('The one before signs until then.')),
      })
      .check(z.meta({ id: 'WebhookSecret' })),
  },
  errors: ['not_found', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'UpdateItem WEBHOOKS#', 'PutItem WEBHOOK_FACT#'],

  read: ({ organizationId, path }, table) => readWebhook(table, organizationId, path.webhook_id),

  handle: (call, webhookItem, table, commit) =>
    changeLatestWebhook(call, webhookItem, table, async (item) => {
      const { added, previous } = rotateWebhookSecrets(item.secrets, call.now);
      const update: WebhookUpdate = { set: { secrets: [added, previous] }, now: call.now };
      const { created_at } = added;
      const body = { secret: null, created_at, previous_expires_at: previous.expires_at };
      const reply = await commit(updateWebhookWrites(call.organizationId, item, update), { body });
      return { ...reply, body: { ...body, secret: added.value } };
    }),

  async completeReplay({ organizationId, path }, { body, ...reply }, table) {
    const item = await readWebhook(table, organizationId, path.webhook_id);
    return { ...reply, body: { ...body, secret: secretMadeAt(item, body.created_at) } };
  },
});

export const handler = serve(operation);
