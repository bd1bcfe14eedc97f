import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import {
  type Field,
  fieldInput,
  newField,
  patchField,
  putFields,
} from '../../../lib/fields/definition.ts';
import { openTable } from '../../../lib/table/client.ts';
import { fieldsKey } from '../../../lib/table/keys.ts';
import '../support.ts';
import { defineField } from './field-definition.ts';

const table = openTable();
const refused = { code: 'write_conflict' };

test('of a type that can’t be filtered says which can', () => {
  const { error } = fieldInput.safeParse({ key: 'a', label: 'A', type: 'url', filterable: true });
  const message = 'can be true only of text, select, boolean, number, date';
  expect(error?.issues).toMatchObject([{ path: ['filterable'], message }]);
});

/** So many fields, the last of which is made. */
const make = (count: number, more: (n: number) => Partial<Field> = () => ({})): Field[] => {
  const all: Field[] = [];
  for (let n = 0; n < count; n++) {
    const { key, label, type, options, filterable } = defineField('text', {
      key: `f${n}`,
      ...more(n),
    });
    all.push(newField(all, { key, label, type, options, filterable }, 0));
  }
  return all;
};
const limit = (path: string) =>
  expect.objectContaining({ code: 'limit_reached', details: [expect.objectContaining({ path })] });

test('there are at most 100 fields, 10 filterable, and 1,000 options, and the error says which', () => {
  expect(make(100).length).toBe(100);
  expect(() => make(101)).toThrow(limit('key'));
  expect(make(10, () => ({ filterable: true })).length).toBe(10);
  expect(() => make(11, () => ({ filterable: true }))).toThrow(limit('filterable'));
  const options = Array.from({ length: 100 }, (_, i) => `o${i}`);
  const full = make(10, () => ({ type: 'select', options }));
  expect(full.length).toBe(10);
  expect(() => make(11, () => ({ type: 'select', options }))).toThrow(limit('options'));
  const last = full[9]!;
  const fewer = patchField(full, last, { options: ['o1'] }, 0);
  expect(fewer.options).toEqual(['o1']);
  const others = [...full.slice(0, 9), fewer, { ...last, key: 'other', options: ['x'] }];
  expect(() => patchField(others, fewer, { options: [...options] }, 0)).toThrow(limit('options'));
});

test('a field keeps having options, or none, as its type has it', () => {
  const [text, select] = [defineField('text'), defineField('select')];
  const patch = (field: Field, options: string[]) =>
    patchField([text, select], field, { options }, 0).options;
  expect(patch(select, ['z'])).toEqual(['z']);
  expect(() => patch(select, [])).toThrow(ApiError);
  expect(() => patch(text, ['z'])).toThrow(ApiError);
  expect(patch(text, [])).toEqual([]);
});

test('custom fields that others have changed meanwhile are not replaced, the first ones neither', async () => {
  const organizationId = randomUUID();
  const put = (before: Parameters<typeof putFields>[1]) =>
    table.transact([putFields(organizationId, before, [])]);
  await put(undefined);
  await expect(put(undefined)).rejects.toMatchObject(refused);
  const before = await table.get(fieldsKey(organizationId));
  await put(before);
  await expect(put(before)).rejects.toMatchObject(refused);
});

test('a change has no earlier time than the one before, though clocks differ', () => {
  const field = defineField('number');
  const before = Date.parse(field.updated_at);
  const updatedAt = (now: number) => patchField([field], field, { label: 'Years' }, now).updated_at;
  expect(updatedAt(before - 5000)).toBe(field.updated_at);
  expect(updatedAt(before + 5000)).toBe(new Date(before + 5000).toISOString());
});
