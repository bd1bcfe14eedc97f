import { serve } from '../../lib/handlers/http/serve.ts';
import { changesInput, changesResult } from '../../lib/leads/batches/batch-schema.ts';
import { readUpdateBatch, updateBatch } from '../../lib/leads/batches/update-batch.ts';
import { leadGrants } from '../../lib/leads/lead-writes.ts';
import { traceGrants } from '../../lib/operations/idempotency-record.ts';
import { defineBatch } from '../../lib/operations/kinds/operation.ts';

export const operation = defineBatch({
  id: 'updateLeads',
  summary: 'Update a batch of leads',
  description:
    'Changes up to 100 leads by JSON merge patches (RFC 7396), each with an outcome of its own. Each lead is changed or refused by itself, in the order of the request; the answer is 200 also when all were refused. With `if_match`, only that version is changed. Repeated with its `Idempotency-Key` after it was cut off, it goes on where it was.',
  method: 'PATCH',
  path: '/leads/batch',
  permission: 'leads:write',
  request: { body: changesInput },
  response: { status: 200, body: changesResult },
  errors: ['idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'Query', ...leadGrants, ...traceGrants],

  parts: ({ body }) => body.leads,
  read: readUpdateBatch,
  handle: updateBatch,
});

export const handler = serve(operation);
