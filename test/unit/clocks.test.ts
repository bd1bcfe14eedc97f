import { expect, test } from 'vitest';
import { type Field, patchedField } from '../../lib/fields/definition.ts';
import { deleteNote } from '../../lib/leads/notes/note.ts';
import { newPipeline, patched } from '../../lib/pipelines/pipeline.ts';

// The clocks of two functions differ: no change is earlier than the one before.

const before = Date.parse('2026-11-22T00:00:00.000Z');
const at = (time: number) => new Date(time).toISOString();
const fields = { created_at: at(before), updated_at: at(before) };

const pipeline = newPipeline(
  'p',
  {
    name: 'Sales',
    stages: [{ name: 'new', outcome: 'open' }],
    default_stage: 'new',
    unique_contact: [],
  },
  before,
);
const field: Field = {
  key: 'age',
  label: 'Age',
  type: 'number',
  options: [],
  filterable: false,
  archived: false,
  ...fields,
};
const note = { id: 'n', text: 'Call', user_id: 'u', ...fields };
const place = { organizationId: 'o', userId: 'u', path: { lead_id: 'l' } };

const changes: [string, (now: number) => unknown][] = [
  ['a pipeline', (now) => patched(pipeline, { name: 'Other' } as never, now).updated_at],
  ['a custom field', (now) => patchedField([field], field, { label: 'Years' }, now).updated_at],
  [
    'the deletion of a note',
    (now) =>
      deleteNote({ ...place, now }, { note, version: 1 }).flatMap((write) =>
        'Put' in write ? (write.Put.Item?.at ?? []) : [],
      )[0],
  ],
];

test.each(changes)('%s has no earlier time than the change before', (_what, changedAt) => {
  expect(changedAt(before - 5000)).toBe(at(before));
  expect(changedAt(before + 5000)).toBe(at(before + 5000));
});
