import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { authorizeMemberWrites, removeWrites } from '../../lib/organizations/member-writes.ts';
import { readStoredMember } from '../../lib/organizations/members.ts';
import { userId } from '../../lib/schema/fields.ts';

export const operation = defineOperation({
  id: 'deleteMember',
  summary: 'Remove member',
  description:
    'Removes a member from the organization. The user has no access from then on; leads that have the user as owner keep that owner. Only an owner may remove an owner; the last one stays (409 `last_owner`).',
  method: 'DELETE',
  path: '/members/{user_id}',
  permission: 'members:write',
  request: { path: z.strictObject({ user_id: userId() }) },
  idempotent: true,
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'idempotency_key_reused', 'last_owner', 'write_conflict'],
  table: ['GetItem', 'PutItem', 'DeleteItem', 'UpdateItem', 'ConditionCheckItem'],

  read: ({ organizationId, path }, table) => readStoredMember(table, organizationId, path.user_id),

  // Decided once: a decision after someone else's could remove a member who was added again.
  handle(call, before, _table, commit) {
    const { organizationId, path } = call;
    if (!before.role) throw new ApiError('not_found');
    const writes = removeWrites(organizationId, before, path.user_id);
    const allowed = authorizeMemberWrites(call, path.user_id, before.role, undefined, writes);
    return commit(allowed, { body: undefined });
  },
});

export const handler = serve(operation);
