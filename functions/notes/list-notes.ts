import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { leadPath } from '../../lib/leads/lead.ts';
import { note, toNote } from '../../lib/leads/notes/note.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { uuidPattern } from '../../lib/schema/cursor.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';
import { historyKey, noteKey } from '../../lib/table/keys.ts';
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
  response: { status: 200, body: pageOf(note) },
  errors: ['not_found', 'invalid_cursor'],
  table: ['GetItem', 'Query'],

  async read({ organizationId, path, query }, table) {
    const [page, first] = await Promise.all([
      readPage(
        table,
        {
          identity: [organizationId, 'listNotes', path.lead_id],
          pk: noteKey(organizationId, path.lead_id, '').pk,
          pattern: uuidPattern,
          newestFirst: true,
          toItem: toNote,
        },
        query,
      ),
      table.get(historyKey(organizationId, path.lead_id, 1)),
    ]);
    return { page, exists: first !== undefined };
  },

  handle(_call, { page, exists }) {
    if (!exists) throw new ApiError('not_found');
    return { body: page };
  },
});

export const handler = serve(operation);
