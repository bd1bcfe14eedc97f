import * as z from 'zod/mini';
import { decodeCursor, encodeCursor, uuidForm } from '../lib/cursor.ts';
import { text, uuid } from '../lib/fields.ts';
import { serve } from '../lib/http/serve.ts';
import { once } from '../lib/http/validation.ts';
import { lead, tag } from '../lib/leads/lead.ts';
import { type Filters, listGrants, listIdentity, listLeads } from '../lib/leads/list.ts';
import { defineOperation } from '../lib/operation.ts';
import { defaultLimit, pageOf, pageQuery } from '../lib/pages.ts';

const query = z.strictObject({
  ...pageQuery,
  pipeline_id: z.optional(once(uuid())),
  stage: z.optional(once(text(50))),
  owner_id: z.optional(once(uuid())),
  tag: z.optional(z.array(tag()).check(z.maxLength(20))),
});

export const operation = defineOperation({
  id: 'listLeads',
  summary: 'Lists leads, newest first, a page at a time.',
  method: 'GET',
  path: '/leads',
  permission: 'leads:read',
  request: { query },
  response: {
    status: 200,
    body: pageOf(lead),
  },
  errors: ['invalid_cursor'],
  table: listGrants,

  async read({ organizationId, query }, table) {
    const { pipeline_id, stage, owner_id, tag: tags = [] } = query;
    const filters: Filters = { pipeline_id, stage, owner_id, tags };
    const list = listIdentity(organizationId, filters);
    const after =
      query.cursor === undefined ? undefined : decodeCursor(list, query.cursor, uuidForm);
    const limit = query.limit ?? defaultLimit;
    const { leads, next } = await listLeads(table, organizationId, filters, limit, after);
    return { items: leads, next_cursor: next === undefined ? null : encodeCursor(list, next) };
  },

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);
