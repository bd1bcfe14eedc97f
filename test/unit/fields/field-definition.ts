import type { Field, FieldType } from '../../../lib/fields/definition.ts';

/** A field of this type, with the options `a`, `b` and `c` if it has any. */
export const defineField = (type: FieldType, more: Partial<Field> = {}): Field => ({
  key: type,
  label: type,
  type,
  options: type.endsWith('select') ? ['a', 'b', 'c'] : [],
  filterable: false,
  archived: false,
  created_at: '2026-11-21T00:00:00.000Z',
  updated_at: '2026-11-21T00:00:00.000Z',
  ...more,
});
