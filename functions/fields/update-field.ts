import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import {
  field,
  fieldPatch,
  fieldsKind,
  patchField,
  putField,
} from '../../lib/fields/definition.ts';
import { fieldKey } from '../../lib/fields/values.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'updateField',
  summary: 'Update custom field',
  description:
    'Changes the label or the options of a custom field, or archives it. `options` is the whole list. A field is never deleted: one that is archived takes no new values, and leads keep those that they have. `archived: false` brings it back.',
  method: 'PATCH',
  path: '/fields/{key}',
  permission: 'fields:write',
  request: { path: z.strictObject({ key: fieldKey() }), body: fieldPatch },
  idempotent: true,
  response: { status: 200, body: field },
  errors: ['not_found', 'idempotency_key_reused', 'limit_reached', 'write_conflict'],
  table: ['GetItem', 'PutItem FIELDS#', 'PutItem FIELD_FACT#'],

  read: ({ organizationId }, table) => table.get(fieldsKind.key({ organizationId })),

  handle: ({ organizationId, path, body, now }, found, table, commit) => {
    const readAgain = () => table.get(fieldsKind.key({ organizationId }));
    return retryOnConflict(table, found, readAgain, (item) => {
      const fields = item?.fields ?? [];
      const before = fields.find(({ key }) => key === path.key);
      if (!before) throw new ApiError('not_found');
      const after = patchField(fields, before, body, now);
      return commit(putField(organizationId, item, after), { body: after });
    });
  },
});

export const handler = serve(operation);
