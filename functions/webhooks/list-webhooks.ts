import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { mostWebhooks } from '../../lib/organizations/limits.ts';
import { createdBy } from '../../lib/schema/created-by.ts';
import { pageOf } from '../../lib/schema/pages.ts';
import { readWebhooks } from '../../lib/webhooks/stored-webhook.ts';
import { toWebhook, webhook } from '../../lib/webhooks/webhook.ts';

export const operation = defineOperation({
  id: 'listWebhooks',
  summary: 'List webhooks',
  description:
    'Lists all webhooks of the organization, oldest first. An organization has at most 10, which fit on one page: `next_cursor` is always `null`.',
  method: 'GET',
  path: '/webhooks',
  permission: 'webhooks:read',
  request: { query: z.strictObject({ created_by: createdBy() }) },
  response: { status: 200, body: pageOf(webhook, mostWebhooks) },
  errors: [],
  table: ['Query'],

  read: ({ organizationId }, table) => readWebhooks(table, organizationId),

  // An organization has no more than fit on a page.
  handle({ now, query: { created_by } }, items) {
    const all = items.map((item) => toWebhook(item, now));
    const asked = all.filter((one) => created_by === undefined || one.created_by === created_by);
    return { body: { items: asked, next_cursor: null } };
  },
});

export const handler = serve(operation);
