import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { member, readRole } from '../../lib/organizations/members.ts';
import { userId } from '../../lib/schema/fields.ts';

export const operation = defineOperation({
  id: 'getMember',
  summary: 'Get member',
  description:
    'Reads a member of the organization. Tells whether a user is a member, and in what role: 404 `not_found` for anyone else.',
  method: 'GET',
  path: '/members/{user_id}',
  permission: 'members:read',
  request: { path: z.strictObject({ user_id: userId() }) },
  response: { status: 200, body: member },
  errors: ['not_found'],
  table: ['GetItem'],

  read: ({ organizationId, path }, table) => readRole(table, organizationId, path.user_id),

  handle({ path }, role) {
    if (!role) throw new ApiError('not_found');
    return { body: { user_id: path.user_id, role } };
  },
});

export const handler = serve(operation);
