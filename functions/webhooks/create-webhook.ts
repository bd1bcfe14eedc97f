import { v7 } from 'uuid';
import { assertInFeed, feedIdOf, readHead } from '../../lib/changes/feed.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { etag } from '../../lib/schema/etag.ts';
import { newSecret, secretMadeAt } from '../../lib/webhooks/endpoint/secrets.ts';
import { unitsOfReplay } from '../../lib/webhooks/replay-units.ts';
import { readWebhook } from '../../lib/webhooks/stored-webhook.ts';
import {
  newWebhook,
  toWebhook,
  webhookInput,
  webhookWithSecret,
} from '../../lib/webhooks/webhook.ts';
import { createWebhookWrites } from '../../lib/webhooks/writes.ts';

export const operation = defineOperation({
  id: 'createWebhook',
  summary: 'Create webhook',
  description:
    'Makes a webhook: each change is posted to its address, signed. It begins at the end of the feed, or after the change that `after` names. The answer has the secret that signs what is posted, and no other answer has it. An organization has at most 10 webhooks.',
  method: 'POST',
  path: '/webhooks',
  permission: 'webhooks:write',
  request: { body: webhookInput },
  idempotent: true,
  hasEtag: true,
  response: { status: 201, body: webhookWithSecret },
  errors: ['idempotency_key_reused', 'limit_reached', 'write_conflict'],
  table: [
    'GetItem',
    'PutItem WEBHOOKS#',
    'PutItem WEBHOOK_FACT#',
    'PutItem DUE',
    'UpdateItem ORG#',
  ],

  read: ({ organizationId }, table) => readHead(table, organizationId),

  async handle(call, last, _table, commit) {
    const { organizationId, userId, now } = call;
    const { after = last, ...input } = call.body;
    assertInFeed(organizationId, after, last);
    await call.limit.countLater(unitsOfReplay(last, after));
    const secret = newSecret(now);
    const made = newWebhook(organizationId, v7(), {
      input,
      userId,
      checkpoint: after,
      feedId: feedIdOf(organizationId),
      secret,
      now,
    });
    const body = { ...toWebhook(made, now), secret: null };
    const reply = await commit(createWebhookWrites(organizationId, made, now), {
      headers: etag(1),
      body,
    });
    // The record of the answer has no secret: that is only where it signs.
    return { ...reply, body: { ...body, secret: secret.value } };
  },

  async completeReplay({ organizationId }, { body, ...reply }, table) {
    const item = await readWebhook(table, organizationId, body.id);
    return { ...reply, body: { ...body, secret: secretMadeAt(item, body.created_at) } };
  },
});

export const handler = serve(operation);
