import * as z from 'zod/mini';
import { ApiError, forbidden } from '../../errors/errors.ts';
import { type Fact, FactKind } from '../../facts/fact.ts';
import { maker, type Origin, storedOrigin } from '../../facts/origin.ts';
import type { WriteOrFact } from '../../facts/transaction.ts';
import type { CallerRole } from '../../operations/permissions.ts';
import { text, uuid } from '../../schema/fields.ts';
import { asRead, present } from '../../table/condition.ts';
import type { ActionOf, Grant } from '../../table/grants.ts';
import { numberAttributes, places } from '../../table/keys.ts';
import { type ItemOf, Kind } from '../../table/kind.ts';
import { ConflictError } from '../../table/retry.ts';
import type { Reader, Write } from '../../table/table.ts';
import { check, put, remove } from '../../table/write.ts';
import { creationTime, leadPath, monotonicTime } from '../lead.ts';
import { leadKind } from '../stored-lead.ts';

/** Characters of a note at most. */
const mostNoteCharacters = 10_000;

export const noteText = () => text(mostNoteCharacters);

/** A note as the API answers it. */
export const note = z
  .strictObject({
    id: z.uuid(),
    text: noteText(),
    user_id: maker().check(z.describe('Who wrote it; `platform` for the company’s own backend.')),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .check(z.meta({ id: 'Note' }));
export type Note = z.output<typeof note>;

/** The body that writes or changes a note. */
export const noteInput = z
  .strictObject({ text: noteText() })
  .check(z.meta({ id: 'NoteInput', description: 'A note has nothing else.' }));

export const notePath = z.strictObject({ ...leadPath.shape, note_id: uuid() });

/** A note, and how often it was changed. */
export interface StoredNote {
  note: Note;
  /** 1 when written, one more with every change. */
  version: number;
}

export const noteKind = new Kind(places.note, {
  holds: 'the notes of a lead, newest first',
  hasFacts: true,
  attributes: z.object({
    text: z.string(),
    user_id: maker(),
    /** Absent where it is the time of the creation. */
    updated_at: z.optional(z.iso.datetime()),
    /** 1 is not stored. */
    version: z.optional(z.int()),
  }),
});
type NoteItem = ItemOf<typeof noteKind>;

export const noteKeyOf = ({
  organizationId,
  path: { lead_id: leadId, note_id: noteId },
}: {
  organizationId: string;
  path: { lead_id: string; note_id: string };
}) => noteKind.key({ organizationId, leadId, noteId });

export const toNote = ({ sk: id, text, user_id, ...item }: NoteItem): Note => {
  const created_at = creationTime(id);
  return { id, text, user_id, created_at, updated_at: item.updated_at ?? created_at };
};

/** What can happen to a note; also the names of the events that are sent. */
export const noteTypes = ['note.created', 'note.updated', 'note.deleted'] as const;

export const noteHistoryEntryKind = new FactKind(places.noteHistoryEntry, {
  holds: 'what happened to a note',
  thing: places.note,
  namesRecord: true,
  attributes: z.object({
    version: z.int(),
    type: z.enum(noteTypes),
    at: z.iso.datetime(),
    ...storedOrigin,
    /** Absent where the note was deleted, or its lead erased. */
    text: z.optional(z.string()),
    erased: z.optional(z.literal(true)),
    /** The idempotency record of the request, which has the same content. */
    record: z.optional(z.string()),
    ...numberAttributes,
  }),
});

/** By a trace, erasing a lead finds what nothing else leads to: the texts of a deleted note, which stay in the feed. */
export const noteTraceKind = new Kind(places.noteTrace, {
  holds: 'deleted notes of a lead',
  attributes: z.object({}),
});

/** Grants to write a note. */
export const noteGrants = [
  'ConditionCheckItem',
  'PutItem NOTES#',
  'PutItem NOTE_HISTORY#',
] as const satisfies Grant[];

/** Grants to delete a note. */
export const goneNoteGrants = [
  'ConditionCheckItem',
  'DeleteItem NOTES#',
  'PutItem TRACES#',
  'PutItem NOTE_HISTORY#',
] as const satisfies Grant[];

interface NoteCall {
  organizationId: string;
  path: { lead_id: string };
  now: number;
}

/** Writes a note in place of what was there, and what happened to it. Refused with `ConflictError` if it is another by now. */
export const putNote = (
  call: NoteCall,
  before: StoredNote | undefined,
  after: Note,
): WriteOrFact<'PutItem' | 'ConditionCheckItem'>[] => {
  const version = (before?.version ?? 0) + 1;
  const { text, user_id, created_at, updated_at } = after;
  return [
    requireLead(call),
    put(
      noteKind.key(noteIds(call, after.id)),
      {
        text,
        user_id,
        updated_at: updated_at === created_at ? undefined : updated_at,
        version: version === 1 ? undefined : version,
      },
      { condition: asRead(before?.version), refused: () => new ConflictError() },
    ),
    noteFact(call, after.id, {
      version,
      type: before ? 'note.updated' : 'note.created',
      at: after.updated_at,
      text: after.text,
    }),
  ];
};

export const deleteNote = (
  call: NoteCall,
  before: StoredNote,
): WriteOrFact<ActionOf<(typeof goneNoteGrants)[number]>>[] => {
  const { id, updated_at } = before.note;
  const ids = noteIds(call, id);
  return [
    requireLead(call),
    remove(noteKind.key(ids), {
      condition: asRead(before.version),
      refused: () => new ConflictError(),
    }),
    put(noteTraceKind.key(ids), {}),
    noteFact(call, id, {
      version: before.version + 1,
      type: 'note.deleted',
      at: monotonicTime(updated_at, call.now),
    }),
  ];
};

const noteIds = ({ organizationId, path }: NoteCall, noteId: string) => ({
  organizationId,
  leadId: path.lead_id,
  noteId,
});

/** Refuses with `not_found` where the lead is gone: else a note could come after its lead was erased. */
const requireLead = ({ organizationId, path }: NoteCall): Write<'ConditionCheckItem'> =>
  check(
    leadKind.key({ organizationId, leadId: path.lead_id }),
    present,
    () => new ApiError('not_found'),
  );

/** Refuses where nothing is written: a note of a lead that is gone can't be changed, not even to what it is. */
export const assertLead = async (
  table: Reader<'GetItem'>,
  organizationId: string,
  leadId: string,
): Promise<void> => {
  if (!(await table.get(leadKind.key({ organizationId, leadId })))) throw new ApiError('not_found');
};

interface NoteEntry {
  version: number;
  type: (typeof noteTypes)[number];
  at: string;
  text?: string;
}

const noteFact = (call: NoteCall, noteId: string, entry: NoteEntry): Fact =>
  noteHistoryEntryKind.fact(noteIds(call, noteId), entry);

/** Who may change the notes of others. */
const noteEditors: ReadonlySet<CallerRole> = new Set(['owner', 'admin', 'platform']);

/** The note that may be changed: by whoever wrote it, and by admins. Throws `not_found` and `forbidden`. */
export const assertEditable = (
  { origin, role }: { origin: Origin; role: CallerRole },
  item: NoteItem | undefined,
): StoredNote => {
  if (!item) throw new ApiError('not_found');
  const { user_id, version = 1 } = item;
  if (user_id === origin.by || noteEditors.has(role)) return { note: toNote(item), version };
  throw forbidden(
    'note_id',
    'is a note of somebody else: only they, admins and owners may change it',
  );
};
