import * as z from 'zod/mini';
import { assertFilters } from '../../lib/fields/check.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { lead } from '../../lib/leads/lead.ts';
import { findLeads } from '../../lib/leads/lists/find.ts';
import { listLeads, pageEndForm } from '../../lib/leads/lists/list.ts';
import { listGrants } from '../../lib/leads/lists/read-range.ts';
import { isLookup, listIdentity } from '../../lib/leads/lists/terms/filters.ts';
import { toOrder } from '../../lib/leads/lists/terms/orders.ts';
import {
  assertSortable,
  leadFilters,
  sortParameter,
  toFilters,
} from '../../lib/leads/lists/terms/parameters.ts';
import { assertNoLists } from '../../lib/leads/lists/unknown-lists.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { decodeCursor, encodeCursor } from '../../lib/schema/cursor.ts';
import { defaultLimit, pageOf, pageQuery } from '../../lib/schema/pages.ts';

const query = z.strictObject({ ...pageQuery, sort: sortParameter(), ...leadFilters });

export const operation = defineOperation({
  id: 'listLeads',
  summary: 'List leads',
  description:
    'Lists leads a page at a time, newest first unless `sort` says otherwise. All filters that are given must hold. Pass `next_cursor` back as `cursor` with the same filters and `sort`; it is `null` on the last page. A request examines at most 1,000 leads, and takes at most 250 read units: so with several filters, a page before the last may be short or empty. A list may lag a moment behind a write; one by `external_id`, `email` or `phone` does not.',
  method: 'GET',
  path: '/leads',
  permission: 'leads:read',
  request: { query },
  response: { status: 200, body: pageOf(lead) },
  errors: ['invalid_cursor'],
  table: ['GetItem', ...listGrants],

  async read(call, table) {
    const { organizationId, query } = call;
    const { cursor, limit = defaultLimit, sort = '-created_at', ...fields } = query;
    const filters = toFilters(fields, call);
    const order = toOrder(sort);
    assertSortable(filters, order);
    const list = listIdentity(organizationId, filters, order);
    const after = cursor === undefined ? undefined : decodeCursor(list, cursor, pageEndForm);
    const read = isLookup(filters) ? findLeads : listLeads;
    const [{ leads, next }] = await Promise.all([
      read(table, organizationId, filters, limit, after, order),
      assertFilters(table, organizationId, filters.fields),
    ]);
    const isEmpty = leads.length === 0 && next === undefined && cursor === undefined;
    if (isEmpty) await assertNoLists(table, organizationId, filters);
    return { items: leads, next_cursor: next === undefined ? null : encodeCursor(list, next) };
  },

  handle: (_call, page) => ({ body: page }),
});

export const handler = serve(operation);
