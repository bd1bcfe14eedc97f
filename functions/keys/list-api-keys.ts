import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { apiKey, readApiKeys } from '../../lib/organizations/api-keys/api-keys.ts';
import { createdBy } from '../../lib/schema/created-by.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';

export const operation = defineOperation({
  id: 'listApiKeys',
  summary: 'List API keys',
  description:
    'Lists the API keys of the organization, newest first, a page at a time; also those that are expired or revoked. None has its secret. With `created_by`, a page may have fewer than `limit`, or none, and a next page.',
  method: 'GET',
  path: '/keys',
  permission: 'keys:read',
  request: { query: z.strictObject({ ...pageQuery, created_by: createdBy() }) },
  response: { status: 200, body: pageOf(apiKey) },
  errors: ['invalid_cursor'],
  table: ['Query'],

  read: ({ organizationId, query }, table) => readApiKeys(table, organizationId, query),

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);
