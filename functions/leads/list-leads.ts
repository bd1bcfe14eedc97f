import * as z from 'zod/mini';
import { assertFilters } from '../../lib/fields/check.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { lead } from '../../lib/leads/lead.ts';
import { leadFilters, toFilters } from '../../lib/leads/lists/filters.ts';
import { findLeads, isLookup } from '../../lib/leads/lists/find.ts';
import { listIdentity } from '../../lib/leads/lists/index-ranges.ts';
import { listLeads, pageEndForm } from '../../lib/leads/lists/list.ts';
import { listGrants } from '../../lib/leads/lists/read-range.ts';
import { assertNoTagLists } from '../../lib/leads/lists/unknown-tags.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { decodeCursor, encodeCursor } from '../../lib/schema/cursor.ts';
import { defaultLimit, pageOf, pageQuery } from '../../lib/schema/pages.ts';

const query = z.strictObject({ ...pageQuery, ...leadFilters });

export const operation = defineOperation({
  id: 'listLeads',
  summary: 'List leads',
  description:
    'Lists leads, newest first, a page at a time. All filters that are given must hold. Pass `next_cursor` back as `cursor` with the same filters; it is `null` on the last page. With several filters, one of them a tag or a custom field, a page before the last may be short or empty. A list may lag a moment behind a write. A list by `external_id`, `email` or `phone` does not lag; if it has other filters, too, its pages may be short.',
  method: 'GET',
  path: '/leads',
  permission: 'leads:read',
  request: { query },
  response: { status: 200, body: pageOf(lead) },
  errors: ['invalid_cursor'],
  table: ['GetItem', ...listGrants],

  async read({ organizationId, query }, table) {
    const { cursor, limit = defaultLimit, ...fields } = query;
    const filters = toFilters(fields);
    const list = listIdentity(organizationId, filters);
    const after = cursor === undefined ? undefined : decodeCursor(list, cursor, pageEndForm);
    const read = isLookup(filters) ? findLeads : listLeads;
    const [{ leads, next }] = await Promise.all([
      read(table, organizationId, filters, limit, after),
      assertFilters(table, organizationId, filters.fields),
    ]);
    const isEmpty = leads.length === 0 && next === undefined && cursor === undefined;
    if (isEmpty) await assertNoTagLists(table, organizationId, filters.tags);
    return { items: leads, next_cursor: next === undefined ? null : encodeCursor(list, next) };
  },

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);
