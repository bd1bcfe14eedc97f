import { v7 } from 'uuid';
import { serve } from '../../lib/handlers/http/serve.ts';
import { creationTime, leadPath } from '../../lib/leads/lead.ts';
import { note, noteGrants, noteInput, putNote } from '../../lib/leads/notes/note.ts';
import { withMergeHint } from '../../lib/leads/survivor.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'createNote',
  summary: 'Create note',
  description:
    'Writes a note of 1 to 10,000 characters on a lead. The lead itself does not change, and keeps its `ETag`.',
  method: 'POST',
  path: '/leads/{lead_id}/notes',
  permission: 'notes:write',
  request: { path: leadPath, body: noteInput },
  idempotent: true,
  response: { status: 201, body: note },
  errors: ['not_found', 'idempotency_key_reused', 'write_conflict'],
  table: ['Query', ...noteGrants],

  handle(call, _data, table, commit) {
    const id = v7();
    const at = creationTime(id);
    const { text } = call.body;
    const created = { id, text, user_id: call.origin.by, created_at: at, updated_at: at };
    return withMergeHint(table, call, () =>
      commit(putNote(call, undefined, created), { body: created }),
    );
  },
});

export const handler = serve(operation);
