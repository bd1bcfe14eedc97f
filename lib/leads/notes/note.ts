import * as z from 'zod/mini';
import { ApiError } from '../../errors/errors.ts';
import type { CallerRole } from '../../operations/permissions.ts';
import { text, uuid } from '../../schema/fields.ts';
import { leadKey, noteChangeKey, noteKey, noteTraceKey } from '../../table/keys.ts';
import { ConflictError } from '../../table/retry.ts';
import type { Item, Reader, Write } from '../../table/table.ts';
import { creationTime, leadPath, monotonicTime } from '../lead.ts';

/** Characters of a note at most. */
const mostNoteCharacters = 10_000;

export const noteText = () => text(mostNoteCharacters);

/** A note as the API answers it. */
export const note = z
  .strictObject({
    id: z.uuid(),
    text: noteText(),
    user_id: z.guid().check(z.describe('Who wrote it.')),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .check(z.meta({ id: 'Note' }));
export type Note = z.output<typeof note>;

/** What is sent to write a note, and to change one. */
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

export const toNote = (item: Item): Note => {
  const id = item.sk as string;
  const created_at = creationTime(id);
  return {
    id,
    text: item.text as string,
    user_id: item.user_id as string,
    created_at,
    updated_at: (item.updated_at ?? created_at) as string,
  };
};

const toStoredNote = (item: Item): StoredNote => ({
  note: toNote(item),
  version: (item.version ?? 1) as number,
});

/** What can happen to a note; also the names of the events that are sent. */
export const noteTypes = ['note.created', 'note.updated', 'note.deleted'] as const;

/** What a change of a note does with the table. */
export const noteGrants = ['PutItem', 'DeleteItem', 'ConditionCheckItem'] as const;
type NoteGrant = (typeof noteGrants)[number];

interface NoteCall {
  organizationId: string;
  userId: string;
  path: { lead_id: string };
  now: number;
}

/** Writes a note in place of what was there, and what happened to it. Refused with `ConflictError` if it is another by now. */
export const putNote = (
  place: NoteCall,
  before: StoredNote | undefined,
  after: Note,
): Write<'PutItem' | 'ConditionCheckItem'>[] => {
  const version = (before?.version ?? 0) + 1;
  const Key = noteKey(place.organizationId, place.path.lead_id, after.id);
  return [
    requireLead(place),
    {
      Put: { Item: noteItem(Key, after, version), ...versionCondition(before) },
      refused: () => new ConflictError(),
    },
    putNoteEntry(place, after.id, {
      version,
      type: before ? 'note.updated' : 'note.created',
      at: after.updated_at,
      text: after.text,
    }),
  ];
};

export const deleteNote = (place: NoteCall, before: StoredNote): Write<NoteGrant>[] => {
  const { id, updated_at } = before.note;
  const Key = noteKey(place.organizationId, place.path.lead_id, id);
  return [
    requireLead(place),
    { Delete: { Key, ...versionCondition(before) }, refused: () => new ConflictError() },
    // A deleted note's texts stay in the feed: erasing the lead has to find them.
    { Put: { Item: { ...noteTraceKey(place.organizationId, place.path.lead_id, id) } } },
    putNoteEntry(place, id, {
      version: before.version + 1,
      type: 'note.deleted',
      at: monotonicTime(updated_at, place.now),
    }),
  ];
};

/** Refuses with `not_found` where the lead is gone: else a note could come after its lead was erased. */
const requireLead = ({ organizationId, path }: NoteCall): Write<'ConditionCheckItem'> => ({
  ConditionCheck: {
    Key: leadKey(organizationId, path.lead_id),
    ConditionExpression: 'attribute_exists(pk)',
  },
  refused: () => new ApiError('not_found'),
});

/** Throws `not_found` where the lead is gone: its notes can't be changed then, not even to what they are. */
export const assertLead = async (
  table: Reader<'GetItem'>,
  organizationId: string,
  leadId: string,
): Promise<void> => {
  if (!(await table.get(leadKey(organizationId, leadId)))) throw new ApiError('not_found');
};

interface NoteEntry {
  version: number;
  type: (typeof noteTypes)[number];
  at: string;
  text?: string;
}

/** The entry from which the feed has the change. */
const putNoteEntry = (
  { organizationId, userId, path }: NoteCall,
  id: string,
  entry: NoteEntry,
): Write<'PutItem'> => ({
  Put: {
    Item: {
      ...noteChangeKey(organizationId, path.lead_id, id, entry.version),
      ...entry,
      user_id: userId,
    },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  namesRecord: true,
});

const noteItem = (
  key: object,
  { text, user_id, created_at, updated_at }: Note,
  version: number,
): Item => ({
  ...key,
  text,
  user_id,
  updated_at: updated_at === created_at ? undefined : updated_at,
  version: version === 1 ? undefined : version,
});

/** The condition that a note is as it was read. */
const versionCondition = (before: StoredNote | undefined) => {
  if (!before) return { ConditionExpression: 'attribute_not_exists(pk)' };
  if (before.version === 1) {
    return { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(version)' };
  }
  return {
    ConditionExpression: 'version = :version',
    ExpressionAttributeValues: { ':version': before.version },
  };
};

/** Who may change the notes of others. */
const noteEditors: ReadonlySet<CallerRole> = new Set(['owner', 'admin', 'platform']);

/** The note that may be changed: by whoever wrote it, and by admins. Throws `not_found` and `forbidden`. */
export const assertEditable = (
  { userId, role }: { userId: string; role: CallerRole },
  item: Item | undefined,
): StoredNote => {
  if (!item) throw new ApiError('not_found');
  const stored = toStoredNote(item);
  if (stored.note.user_id === userId || noteEditors.has(role)) return stored;
  throw new ApiError('forbidden');
};
