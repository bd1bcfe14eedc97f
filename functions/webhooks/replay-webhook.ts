import * as z from 'zod/mini';
import { assertInFeed, feedIdOf, readHead } from '../../lib/changes/feed.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { etag } from '../../lib/schema/etag.ts';
import { changeLatestWebhook } from '../../lib/webhooks/change-latest-webhook.ts';
import { replayFrom } from '../../lib/webhooks/delivery/delivery-rules.ts';
import { toProgress } from '../../lib/webhooks/delivery/progress-item.ts';
import { unitsOfReplay } from '../../lib/webhooks/replay-units.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import { sequence, toWebhook, webhook, webhookPath } from '../../lib/webhooks/webhook.ts';
import { applyUpdate, updateWebhookWrites } from '../../lib/webhooks/writes.ts';

export const operation = defineOperation({
  id: 'replayWebhook',
  summary: 'Replay webhook',
  description:
    'Sets a webhook’s checkpoint: every change after it is posted, also once more. The same change has the same `event_id` and `webhook-id` as before. A checkpoint that is set forward leaves out what is between. A replay counts against the limit of requests by the changes that it goes back over.',
  method: 'POST',
  path: '/webhooks/{webhook_id}/replay',
  permission: 'webhooks:write',
  request: {
    path: webhookPath,
    body: z
      .strictObject({
        after: sequence().check(z.describe('0 for the whole feed, at most its last number.')),
      })
      .check(z.meta({ id: 'WebhookReplay' })),
  },
  idempotent: true,
  hasEtag: true,
  response: { status: 200, body: webhook },
  errors: ['not_found', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'UpdateItem WEBHOOKS#', 'PutItem WEBHOOK_FACT#', 'PutItem DUE'],

  async read({ organizationId, path }, table) {
    const [webhookItem, last] = await Promise.all([
      readWebhook(table, organizationId, path.webhook_id),
      readHead(table, organizationId),
    ]);
    return { webhookItem, last };
  },

  async handle(call, { webhookItem, last }, table, commit) {
    const { organizationId, body, now } = call;
    if (webhookItem) await call.limit.countLater(unitsOfReplay(webhookItem.checkpoint, body.after));
    return changeLatestWebhook(call, webhookItem, table, (item) => {
      assertInFeed(organizationId, body.after, last);
      const update = {
        set: { feed_id: feedIdOf(organizationId) },
        progress: replayFrom(toProgress(item), body.after),
        now,
      };
      const after = applyUpdate(item, update);
      return commit(updateWebhookWrites(organizationId, item, update), {
        headers: etag(after.version),
        body: toWebhook(after, now),
      });
    });
  },
});

export const handler = serve(operation);
