import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { member, readMember } from '../../lib/organizations/members.ts';
import { userId } from '../../lib/schema/fields.ts';

export const operation = defineOperation({
  id: 'getMember',
  summary: 'Get member',
  description:
    'Reads a member of the organization. Tells whether a user is a member, in what role, and by what name: 404 `not_found` for anyone else.',
  method: 'GET',
  path: '/members/{user_id}',
  permission: 'members:read',
  request: { path: z.strictObject({ user_id: userId() }) },
  response: { status: 200, body: member },
  errors: ['not_found'],
  table: ['GetItem'],

  read: ({ organizationId, path }, table) => readMember(table, organizationId, path.user_id),

  handle(_call, found) {
    if (!found) throw new ApiError('not_found');
    return { body: found };
  },
});

export const handler = serve(operation);
