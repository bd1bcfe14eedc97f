import * as z from 'zod/mini';
import { field, fieldsKind } from '../../lib/fields/definition.ts';
import { mostFields } from '../../lib/fields/values.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'listFields',
  summary: 'List custom fields',
  description:
    'Lists the custom fields that leads of the organization can have, in the order in which they were made, also those that are archived.',
  method: 'GET',
  path: '/fields',
  permission: 'leads:read',
  request: {},
  response: {
    status: 200,
    body: z.strictObject({ items: z.array(field).check(z.maxLength(mostFields)) }),
  },
  errors: [],
  table: ['GetItem'],

  read: ({ organizationId }, table) => table.get(fieldsKind.key({ organizationId })),
  handle: (_call, item) => ({ body: { items: item?.fields ?? [] } }),
});

export const handler = serve(operation);
