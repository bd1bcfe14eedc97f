import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serveCaller } from '../../lib/handlers/http/serve.ts';
import { defineCallerOperation } from '../../lib/operations/kinds/caller-operation.ts';
import { callerRoles, permissions, platformPermissions } from '../../lib/operations/permissions.ts';
import {
  membership,
  mostMemberships,
  readMemberships,
  readOrganizationOf,
} from '../../lib/organizations/memberships.ts';
import { cursor, cursorParameter } from '../../lib/schema/pages.ts';

const anyPermission = [...permissions, ...platformPermissions] as const;

const ownApiKey = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    role: z.enum(callerRoles),
    permissions: z.array(z.enum(anyPermission)).check(z.maxLength(anyPermission.length)),
  })
  .check(z.meta({ id: 'OwnApiKey', description: 'Only for a caller with an API key.' }));

export const operation = defineCallerOperation({
  scope: 'user',
  id: 'getMe',
  summary: 'Get me',
  description:
    'Tells who calls, and the organizations that this user is a member of. A user needs no `X-Organization-Id`, so that an application can let its user choose one. For a user who is a member of none, the list is empty. A user who was removed does not see the organization any more as soon as the removal is answered; one who was added sees it a moment later. The organizations of a page are in the order of their names. A page has at most 100, and may have fewer: there are more only if there is a `next_cursor`. A caller with an API key is told its id, name, role and permissions, and its organization; with a platform key, the one that `X-Organization-Id` names. A user may ask 50 times a second.',
  method: 'GET',
  path: '/me',
  request: {
    query: z.strictObject({
      cursor: cursorParameter().check(z.describe('`next_cursor` of the page before.')),
    }),
  },
  response: {
    status: 200,
    body: z
      .strictObject({
        user_id: z.guid().check(z.describe('The API key’s id, if one called.')),
        api_key: z.optional(ownApiKey),
        organizations: z.array(membership).check(z.maxLength(mostMemberships)),
        next_cursor: z
          .optional(cursor())
          .check(z.describe('Only where there are more organizations.')),
      })
      .check(z.meta({ id: 'Me' })),
  },
  errors: ['invalid_cursor'],
  table: ['Query by_user', 'GetItem'],

  async handle({ userId, query: { cursor }, ownApiKey: apiKey }, table) {
    if (!apiKey) {
      return { body: { user_id: userId, ...(await readMemberships(table, userId, cursor)) } };
    }
    if (cursor !== undefined) throw new ApiError('invalid_cursor');
    const { id, name, role, permissions } = apiKey;
    const api_key = { id, name, role, permissions: [...permissions] };
    const organizations = await readOrganizationOf(table, apiKey);
    return { body: { user_id: userId, api_key, organizations } };
  },
});

export const handler = serveCaller(operation);
