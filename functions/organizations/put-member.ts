import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { roles } from '../../lib/operations/permissions.ts';
import {
  authorizeMemberWrites,
  memberGrants,
  putMemberWrites,
} from '../../lib/organizations/member-writes.ts';
import { member, memberName, readStoredMember } from '../../lib/organizations/members.ts';
import { userId } from '../../lib/schema/fields.ts';

export const operation = defineOperation({
  id: 'putMember',
  summary: 'Add or change member',
  description:
    'Adds a member to the organization, or gives one another role or name. Only an owner may make someone an owner, or change one; the last owner stays (409 `last_owner`). Repeating it changes nothing.',
  method: 'PUT',
  path: '/members/{user_id}',
  permission: 'members:write',
  request: {
    path: z.strictObject({ user_id: userId() }),
    body: z.strictObject({
      role: z.enum(roles),
      name: z
        .nullish(memberName())
        .check(z.describe('`null` takes it away; left out, it stays as it is.')),
    }),
  },
  idempotent: true,
  response: { status: 200, body: member },
  errors: ['idempotency_key_reused', 'last_owner', 'limit_reached', 'write_conflict'],
  table: ['GetItem', 'ConditionCheckItem', ...memberGrants, 'PutItem NAMES#'],

  read: ({ organizationId, path }, table) => readStoredMember(table, organizationId, path.user_id),

  // Decided once: a decision after someone else's could bring back a member who was removed.
  handle(call, before, _table, commit) {
    const { role, name = before.name } = call.body;
    const after = { user_id: call.path.user_id, role, name };
    const writes = putMemberWrites(call.organizationId, before, after, call.now);
    const allowed = authorizeMemberWrites(call, after.user_id, before.role, role, writes);
    return commit(allowed, { body: after });
  },
});

export const handler = serve(operation);
