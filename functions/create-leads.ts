import { serve } from '../lib/http/serve.ts';
import { createBatch, readBatch } from '../lib/leads/batch.ts';
import { batchInput, batchResult } from '../lib/leads/batch-schema.ts';
import { defineOperation } from '../lib/operation.ts';

export const operation = defineOperation({
  id: 'createLeads',
  summary: 'Creates up to 100 leads, each with an outcome of its own.',
  description:
    'Each lead is made or refused by itself, in the order of the request; the answer is 200 also when all were refused. Repeated with its `Idempotency-Key` after it was cut off, it goes on where it was.',
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
