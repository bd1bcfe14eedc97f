import * as z from 'zod/mini';
import { serveUser } from '../../lib/handlers/http/serve.ts';
import { defineUserOperation } from '../../lib/operations/kinds/user-operation.ts';
import {
  membership,
  mostMemberships,
  readMemberships,
} from '../../lib/organizations/memberships.ts';
import { cursor } from '../../lib/schema/pages.ts';
import { queryParameter } from '../../lib/schema/query-parameter.ts';

export const operation = defineUserOperation({
  id: 'getMe',
  summary: 'Get me',
  description:
    'Tells who calls, and the organizations that this user is a member of. It takes no `X-Organization-Id`, so that an application can let its user choose one. For a user who is a member of none, the list is empty. A user who was removed does not see the organization any more as soon as the removal is answered; one who was added sees it a moment later. The organizations of a page are in the order of their names. A page has at most 100, and may have fewer: there are more only if there is a `next_cursor`.',
  method: 'GET',
  path: '/me',
  request: {
    query: z.strictObject({
      cursor: z
        .optional(queryParameter(cursor()))
        .check(z.describe('`next_cursor` of the page before.')),
    }),
  },
  response: {
    status: 200,
    body: z
      .strictObject({
        user_id: z.guid(),
        organizations: z.array(membership).check(z.maxLength(mostMemberships)),
        next_cursor: z
          .optional(cursor())
          .check(z.describe('Only where there are more organizations.')),
      })
      .check(z.meta({ id: 'Me' })),
  },
  errors: ['invalid_cursor'],
  table: ['Query by_user', 'GetItem'],

  handle: async ({ userId, query }, table) => ({
    body: { user_id: userId, ...(await readMemberships(table, userId, query.cursor)) },
  }),
});

export const handler = serveUser(operation);
