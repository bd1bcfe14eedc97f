import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { historyEntry, historyEntryKind, toHistoryEntry } from '../../lib/leads/history.ts';
import { leadPath } from '../../lib/leads/lead.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { named, withUserNames } from '../../lib/organizations/user-names.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';
import { ordinalPattern } from '../../lib/table/keys.ts';
import { readPage } from '../../lib/table/pages.ts';

export const operation = defineOperation({
  id: 'listLeadHistory',
  summary: 'List lead history',
  description:
    'Lists who changed what of a lead and when, newest first; also of a deleted one. An entry never changes. Its `changes` name each field with what it was and what it became.',
  method: 'GET',
  path: '/leads/{lead_id}/history',
  permission: 'leads:read',
  request: { path: leadPath, query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(named(historyEntry, 'NamedHistoryEntry')) },
  errors: ['not_found', 'invalid_cursor'],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, path, query }, table) =>
    readPage(
      table,
      {
        identity: [organizationId, 'listLeadHistory', path.lead_id],
        kind: historyEntryKind,
        pk: historyEntryKind.partition({ organizationId, leadId: path.lead_id }),
        pattern: ordinalPattern,
        newestFirst: true,
        toItem: toHistoryEntry,
      },
      query,
    ),

  async handle(call, { items, next_cursor }, table) {
    // Every lead that was ever created has at least one entry.
    if (items.length === 0 && call.query.cursor === undefined) throw new ApiError('not_found');
    return { body: { items: await withUserNames(table, call, items), next_cursor } };
  },
});

export const handler = serve(operation);
