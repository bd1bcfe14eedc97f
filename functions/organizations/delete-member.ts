import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { readApiKeyIdsMadeBy } from '../../lib/organizations/api-keys/api-keys.ts';
import { mostApiKeys, mostWebhooks } from '../../lib/organizations/limits.ts';
import {
  authorizeMemberWrites,
  memberGrants,
  removeMemberWrites,
} from '../../lib/organizations/member-writes.ts';
import { readStoredMember } from '../../lib/organizations/members.ts';
import { userId } from '../../lib/schema/fields.ts';
import { idOf, readWebhooks } from '../../lib/webhooks/stored-webhook.ts';

const ids = (most: number) => z.array(z.uuid()).check(z.maxLength(most));

export const operation = defineOperation({
  id: 'deleteMember',
  summary: 'Remove member',
  description:
    'Removes a member from the organization. The user has no access from then on; leads that have the user as owner keep that owner. Only an owner may remove an owner; the last one stays (409 `last_owner`). API keys and webhooks that the user made go on: the answer has their ids, so that you can revoke what nobody else should use.',
  method: 'DELETE',
  path: '/members/{user_id}',
  permission: 'members:write',
  request: { path: z.strictObject({ user_id: userId() }) },
  idempotent: true,
  response: {
    status: 200,
    body: z
      .strictObject({
        api_keys: ids(mostApiKeys).check(z.describe('Those that are not revoked, oldest first.')),
        webhooks: ids(mostWebhooks),
      })
      .check(z.meta({ id: 'MemberRemoval', description: 'What the user made, and what goes on.' })),
  },
  errors: ['not_found', 'idempotency_key_reused', 'last_owner', 'write_conflict'],
  table: ['GetItem', 'Query', 'ConditionCheckItem', ...memberGrants],

  async read({ organizationId, path: { user_id } }, table) {
    const [before, api_keys, webhooks] = await Promise.all([
      readStoredMember(table, organizationId, user_id),
      readApiKeyIdsMadeBy(table, organizationId, user_id),
      readWebhooks(table, organizationId),
    ]);
    const made = webhooks.filter(({ created_by }) => created_by === user_id);
    return { before, made: { api_keys, webhooks: made.map(idOf) } };
  },

  // Decided once: a decision after someone else's could remove a member who was added again.
  handle(call, { before, made }, _table, commit) {
    const { organizationId, path } = call;
    if (!before.role) throw new ApiError('not_found');
    const writes = removeMemberWrites(organizationId, before, path.user_id, call.now);
    const allowed = authorizeMemberWrites(call, path.user_id, before.role, undefined, writes);
    return commit(allowed, { body: made });
  },
});

export const handler = serve(operation);
