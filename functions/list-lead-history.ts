import * as z from 'zod/mini';
import { decodeCursor, encodeCursor, type ListIdentity } from '../lib/cursor.ts';
import { ApiError } from '../lib/errors.ts';
import { serve } from '../lib/http/serve.ts';
import { historyEntry, toHistoryEntry } from '../lib/leads/history.ts';
import { leadPath } from '../lib/leads/lead.ts';
import { defineOperation } from '../lib/operation.ts';
import { defaultLimit, pageOf, pageQuery } from '../lib/pages.ts';
import { historyKey, ordinalForm } from '../lib/table/keys.ts';

export const operation = defineOperation({
  id: 'listLeadHistory',
  summary: 'Lists who changed what of a lead and when, newest first; also of a deleted one.',
  method: 'GET',
  path: '/leads/{lead_id}/history',
  permission: 'leads:read',
  request: { path: leadPath, query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(historyEntry) },
  errors: ['not_found', 'invalid_cursor'],
  table: ['Query'],

  async read({ organizationId, path, query }, table) {
    const list: ListIdentity = [organizationId, 'listLeadHistory', path.lead_id];
    const limit = query.limit ?? defaultLimit;
    const { pk } = historyKey(organizationId, path.lead_id, 0);
    const { items } = await table.query({
      condition: 'pk = :pk',
      values: { ':pk': pk },
      limit: limit + 1,
      newestFirst: true,
      consistent: true,
      startAfter:
        query.cursor === undefined
          ? undefined
          : { pk, sk: decodeCursor(list, query.cursor, ordinalForm) },
    });
    const page = items.slice(0, limit);
    const last = items.length > limit ? page.at(-1)?.sk : undefined;
    return {
      items: page.map(toHistoryEntry),
      next_cursor: last === undefined ? null : encodeCursor(list, last as string),
    };
  },

  handle({ query }, page) {
    // A lead that ever was has at least one entry.
    if (page.items.length === 0 && query.cursor === undefined) throw new ApiError('not_found');
    return { body: page };
  },
});

export const handler = serve(operation);
