import { serve } from '../../lib/handlers/http/serve.ts';
import { batchInput, batchResult } from '../../lib/leads/batches/batch-schema.ts';
import { createBatch, readBatch } from '../../lib/leads/batches/create-batch.ts';
import { leadGrants } from '../../lib/leads/lead-writes.ts';
import { traceGrants } from '../../lib/operations/idempotency-record.ts';
import { defineBatch } from '../../lib/operations/kinds/operation.ts';

export const operation = defineBatch({
  id: 'createLeads',
  summary: 'Create a batch of leads',
  description:
    'Creates up to 100 leads, or upserts them, each with an outcome of its own. Each lead is made or refused by itself, in the order of the request; the answer is 200 also when all were refused. With `match`, each is an upsert as in `POST /leads/upsert`. Repeated with its `Idempotency-Key` after it was cut off, it goes on where it was.',
  method: 'POST',
  path: '/leads/batch',
  permission: 'leads:write',
  request: { body: batchInput },
  response: { status: 200, body: batchResult },
  errors: ['idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'Query', ...leadGrants, ...traceGrants],

  parts: ({ body }) => body.leads,
  read: readBatch,
  handle: createBatch,
});

export const handler = serve(operation);
