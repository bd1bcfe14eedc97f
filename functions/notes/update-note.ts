import { serve } from '../../lib/handlers/http/serve.ts';
import { monotonicTime } from '../../lib/leads/lead.ts';
import {
  assertEditable,
  assertLead,
  note,
  noteGrants,
  noteInput,
  noteKeyOf,
  notePath,
  putNote,
} from '../../lib/leads/notes/note.ts';
import { withMergeHint } from '../../lib/leads/survivor.ts';
import { traceGrants } from '../../lib/operations/idempotency-record.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'updateNote',
  summary: 'Update note',
  description:
    'Changes the text of a note. Whoever wrote it may, and so may owners and admins; it keeps its writer.',
  method: 'PATCH',
  path: '/leads/{lead_id}/notes/{note_id}',
  permission: 'notes:write',
  request: { path: notePath, body: noteInput },
  idempotent: true,
  response: { status: 200, body: note },
  errors: ['not_found', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'Query', ...noteGrants, ...traceGrants],

  read: (call, table) => table.get(noteKeyOf(call)),

  handle: (call, found, table, commit) => {
    const { organizationId, path, body, now } = call;
    const readAgain = () => table.get(noteKeyOf(call));
    return withMergeHint(table, call, () =>
      retryOnConflict(table, found, readAgain, async (item) => {
        const before = assertEditable(call, item);
        if (before.note.text === body.text) {
          await assertLead(table, organizationId, path.lead_id);
          return { body: before.note, leadIds: [path.lead_id] };
        }
        const updated_at = monotonicTime(before.note.updated_at, now);
        const after = { ...before.note, text: body.text, updated_at };
        return commit(putNote(call, before, after), { body: after });
      }),
    );
  },
});

export const handler = serve(operation);
