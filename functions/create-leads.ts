import { serve } from '../lib/http/serve.ts';
import { createBatch, readBatch } from '../lib/leads/batch.ts';
import { batchInput, batchResult } from '../lib/leads/batch-schema.ts';
import { defineOperation } from '../lib/operation.ts';

export const operation = defineOperation({
  id: 'createLeads',
  summary: 'Creates up to 100 leads, each with an outcome of its own.',
  method: 'POST',
  path: '/leads/batch',
  permission: 'leads:write',
  request: { body: batchInput },
  idempotent: true,
  response: { status: 200, body: batchResult },
  errors: ['idempotency_key_reused', 'write_conflict'],
  table: ['BatchGetItem', 'PutItem', 'UpdateItem'],

  read: readBatch,
  handle: async (call, batch, table) => createBatch(call, batch, table),
});

export const handler = serve(operation);
