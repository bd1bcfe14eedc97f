import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import {
  assertEditable,
  deleteNote,
  goneNoteGrants,
  noteKeyOf,
  notePath,
} from '../../lib/leads/notes/note.ts';
import { withMergeHint } from '../../lib/leads/survivor.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'deleteNote',
  summary: 'Delete note',
  description: 'Deletes a note. Whoever wrote it may, and so may owners and admins.',
  method: 'DELETE',
  path: '/leads/{lead_id}/notes/{note_id}',
  permission: 'notes:write',
  request: { path: notePath },
  idempotent: true,
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'Query', ...goneNoteGrants],

  read: (call, table) => table.get(noteKeyOf(call)),

  handle: (call, found, table, commit) => {
    const readAgain = () => table.get(noteKeyOf(call));
    return withMergeHint(table, call, () =>
      retryOnConflict(table, found, readAgain, async (item) =>
        commit(deleteNote(call, assertEditable(call, item)), { body: undefined }),
      ),
    );
  },
});

export const handler = serve(operation);
