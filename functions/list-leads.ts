import * as z from 'zod/mini';
import { decodeCursor, encodeCursor } from '../lib/cursor.ts';
import { text, uuid } from '../lib/fields.ts';
import { serve } from '../lib/http/serve.ts';
import { once } from '../lib/http/validation.ts';
import { lead, tag } from '../lib/leads/lead.ts';
import { type Filters, listGrants, listIdentity, listLeads } from '../lib/leads/list.ts';
import { defineOperation } from '../lib/operation.ts';

const query = z.strictObject({
  cursor: z.optional(once(z.string())),
  limit: z.optional(once(wholeNumber(1, 200))),
  pipeline_id: z.optional(once(uuid())),
  stage: z.optional(once(text(50))),
  owner_id: z.optional(once(uuid())),
  tag: z.optional(z.array(tag()).check(z.maxLength(20))),
});

const defaultLimit = 50;

export const operation = defineOperation({
  id: 'listLeads',
  summary: 'Lists leads, newest first, a page at a time.',
  method: 'GET',
  path: '/leads',
  permission: 'leads:read',
  request: { query },
  response: {
    status: 200,
    body: z.strictObject({ items: z.array(lead), next_cursor: z.nullable(z.string()) }),
  },
  errors: ['invalid_cursor'],
  table: listGrants,

  async read({ organizationId, query }, table) {
    const { pipeline_id, stage, owner_id, tag: tags = [] } = query;
    const filters: Filters = { pipeline_id, stage, owner_id, tags };
    const list = listIdentity(organizationId, filters);
    const after = query.cursor === undefined ? undefined : decodeCursor(list, query.cursor);
    const limit = query.limit ?? defaultLimit;
    const { leads, next } = await listLeads(table, organizationId, filters, limit, after);
    return { items: leads, next_cursor: next === undefined ? null : encodeCursor(list, next) };
  },

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);

/** A whole number in plain decimal digits. */
function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,9}$/, message)), z.transform(Number)),
    z.int().check(z.gte(min, message), z.lte(max, message)),
  );
}
