import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { member, membersOf } from '../../lib/organizations/members.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';
import { readPage } from '../../lib/table/pages.ts';

export const operation = defineOperation({
  id: 'listMembers',
  summary: 'List members',
  description:
    'Lists the members of the organization by user id, a page at a time. An organization has at most 1,000 members.',
  method: 'GET',
  path: '/members',
  permission: 'members:read',
  request: { query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(member) },
  errors: ['invalid_cursor'],
  table: ['Query'],

  read: ({ organizationId, query }, table) =>
    readPage(
      table,
      { ...membersOf(organizationId), identity: [organizationId, 'listMembers'] },
      query,
    ),

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);
