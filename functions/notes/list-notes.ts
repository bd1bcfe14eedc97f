import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { historyEntryKind } from '../../lib/leads/history.ts';
import { leadPath } from '../../lib/leads/lead.ts';
import { note, noteKind, toNote } from '../../lib/leads/notes/note.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { named, withUserNames } from '../../lib/organizations/user-names.ts';
import { uuidPattern } from '../../lib/schema/cursor.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';
import { ordinal } from '../../lib/table/keys.ts';
import { readPage } from '../../lib/table/pages.ts';

export const operation = defineOperation({
  id: 'listNotes',
  summary: 'List notes',
  description:
    'Lists the notes of a lead, newest first; also of a deleted one. A list has every note whose write was answered before.',
  method: 'GET',
  path: '/leads/{lead_id}/notes',
  permission: 'leads:read',
  request: { path: leadPath, query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(named(note, 'NamedNote')) },
  errors: ['not_found', 'invalid_cursor'],
  table: ['GetItem', 'Query'],

  async read({ organizationId, path, query }, table) {
    const ids = { organizationId, leadId: path.lead_id };
    const [page, first] = await Promise.all([
      readPage(
        table,
        {
          identity: [organizationId, 'listNotes', path.lead_id],
          kind: noteKind,
          pk: noteKind.partition(ids),
          pattern: uuidPattern,
          newestFirst: true,
          toItem: toNote,
        },
        query,
      ),
      table.get(historyEntryKind.key({ ...ids, version: ordinal(1) })),
    ]);
    return { page, exists: first !== undefined };
  },

  async handle(call, { page: { items, next_cursor }, exists }, table) {
    if (!exists) throw new ApiError('not_found');
    return { body: { items: await withUserNames(table, call, items), next_cursor } };
  },
});

export const handler = serve(operation);
