import * as z from 'zod/mini';
import { decodeCursor, encodeCursor, type ListIdentity, uuidForm } from '../lib/cursor.ts';
import { serve } from '../lib/http/serve.ts';
import { defineOperation } from '../lib/operation.ts';
import { member, readMembers } from '../lib/organizations/members.ts';
import { defaultLimit, pageOf, pageQuery } from '../lib/pages.ts';

export const operation = defineOperation({
  id: 'listMembers',
  summary: 'Lists the members of the organization by user id, a page at a time.',
  method: 'GET',
  path: '/members',
  permission: 'members:read',
  request: { query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(member) },
  errors: ['invalid_cursor'],
  table: ['Query'],

  async read({ organizationId, query: { cursor, limit = defaultLimit } }, table) {
    const list: ListIdentity = [organizationId, 'listMembers'];
    const after = cursor === undefined ? undefined : decodeCursor(list, cursor, uuidForm);
    const found = await readMembers(table, organizationId, limit, after);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, next_cursor: last ? encodeCursor(list, last.user_id) : null };
  },

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);
