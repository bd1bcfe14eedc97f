import { serve } from '../../lib/handlers/http/serve.ts';
import { createBatch, partsOf, readBatch } from '../../lib/leads/batch.ts';
import { batchInput, batchResult } from '../../lib/leads/batch-schema.ts';
import { defineBatch } from '../../lib/operations/operation.ts';

export const operation = defineBatch({
  id: 'createLeads',
  summary: 'Create leads',
  description:
    'Creates up to 100 leads, each with an outcome of its own. Each lead is made or refused by itself, in the order of the request; the answer is 200 also when all were refused. Repeated with its `Idempotency-Key` after it was cut off, it goes on where it was.',
  method: 'POST',
  path: '/leads/batch',
  permission: 'leads:write',
  request: { body: batchInput },
  response: { status: 200, body: batchResult },
  errors: ['idempotency_key_reused', 'write_conflict'],
  table: ['BatchGetItem', 'PutItem', 'UpdateItem'],

  parts: partsOf,
  read: readBatch,
  handle: (call, found, _table, part) => createBatch(call, found, part),
});

export const handler = serve(operation);
