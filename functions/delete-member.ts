import * as z from 'zod/mini';
import { uuid } from '../lib/fields.ts';
import { serve } from '../lib/http/serve.ts';
import { defineOperation } from '../lib/operation.ts';
import { removeWrites } from '../lib/organizations/member-change.ts';
import { readRole } from '../lib/organizations/members.ts';
import { whileChanged } from '../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'deleteMember',
  summary: 'Removes a member from the organization, at once.',
  description:
    'Whoever is removed is out at once; leads that name the user still do. Only an owner may remove an owner; the last one stays (409 `last_owner`).',
  method: 'DELETE',
  path: '/members/{user_id}',
  permission: 'members:write',
  request: { path: z.strictObject({ user_id: uuid() }) },
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'last_owner', 'write_conflict'],
  table: ['GetItem', 'DeleteItem', 'UpdateItem', 'ConditionCheckItem'],

  read: ({ organizationId, path }, table) => readRole(table, organizationId, path.user_id),

  handle(call, found, table) {
    const { user_id } = call.path;
    const readAgain = () => readRole(table, call.organizationId, user_id);
    return whileChanged(table, found, readAgain, async (before) => {
      await table.transact(removeWrites(call, before, user_id));
      return { body: undefined };
    });
  },
});

export const handler = serve(operation);
