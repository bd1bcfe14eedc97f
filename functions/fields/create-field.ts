import { field, fieldInput, fieldsKind, newField, putField } from '../../lib/fields/definition.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'createField',
  summary: 'Create custom field',
  description:
    'Creates a field that leads can have from then on, in `fields` under its key. Key, type and `filterable` never change. An organization has at most 100 fields, 10 of them filterable, and 1,000 options of all fields together; archived fields count.',
  method: 'POST',
  path: '/fields',
  permission: 'fields:write',
  request: { body: fieldInput },
  idempotent: true,
  response: { status: 201, body: field },
  errors: ['idempotency_key_reused', 'limit_reached', 'write_conflict'],
  table: ['GetItem', 'PutItem FIELDS#', 'PutItem FIELD_FACT#'],

  read: ({ organizationId }, table) => table.get(fieldsKind.key({ organizationId })),

  handle: ({ organizationId, body, now }, found, table, commit) => {
    const readAgain = () => table.get(fieldsKind.key({ organizationId }));
    return retryOnConflict(table, found, readAgain, (item) => {
      const made = newField(item?.fields ?? [], body, now);
      return commit(putField(organizationId, item, made), { body: made });
    });
  },
});

export const handler = serve(operation);
