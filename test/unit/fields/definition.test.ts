import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import {
  type Field,
  fieldInput,
  fieldsKind,
  newField,
  patchField,
  putField,
} from '../../../lib/fields/definition.ts';
import { openTable } from '../../../lib/table/client.ts';
import '../support.ts';
import { commitIn } from '../../support/origin.ts';
import { defineField } from './field-definition.ts';

const table = openTable();

const problemsOf = (input: object) =>
  fieldInput
    .safeParse({ label: 'Field', key: 'x', type: 'text', ...input })
    .error?.issues.map(({ path, message }) => `${path}: ${message}`);

test.each([
  [{ key: 'Source' }, /^key: must be a letter, then up to 49 more/],
  [{ key: 'x'.repeat(51) }, /^key: must be a letter, then up to 49 more/],
  [{ key: 'constructor' }, /^key: must not be “constructor”/],
  [{ type: 'select' }, /^options: must be there for select and multi_select/],
  [{ options: ['a'] }, /^options: must be there for select and multi_select/],
  [{ type: 'select', options: ['a', 'a'] }, /^options: must have no doubles/],
  [{ type: 'url', filterable: true }, /^filterable: .* text, select, boolean, number, date$/],
])('%j is refused', (input, problem) => {
  expect(problemsOf(input)).toEqual([expect.stringMatching(problem)]);
});

test.each([
  { key: `x${'_'.repeat(49)}` },
  { type: 'multi_select', options: ['a'] },
  { filterable: true },
])('%j is taken', (input) => {
  expect(problemsOf(input)).toBeUndefined();
});

/** So many fields, the last of which is made. */
const make = (count: number, more: Partial<Field> = {}): Field[] => {
  const all: Field[] = [];
  for (let n = 0; n < count; n++) {
    const { key, label, type, options, filterable } = defineField('text', {
      key: `f${n}`,
      ...more,
    });
    all.push(newField(all, { key, label, type, options, filterable }, 0));
  }
  return all;
};
const limit = (path: string) =>
  expect.objectContaining({ code: 'limit_reached', details: [expect.objectContaining({ path })] });

test('there are at most 100 fields, 10 filterable, and 1,000 options, and the error says which', () => {
  const options = Array.from({ length: 100 }, (_, i) => `o${i}`);
  const select = { type: 'select' as const, options };
  const limits: [number, Partial<Field>, string][] = [
    [100, {}, 'key'],
    [10, { filterable: true }, 'filterable'],
    [10, select, 'options'],
  ];
  for (const [most, more, path] of limits) {
    expect(make(most, more).length).toBe(most);
    expect(() => make(most + 1, more)).toThrow(limit(path));
  }
  const full = make(10, select);
  const last = full[9]!;
  const fewer = patchField(full, last, { options: ['o1'] }, 0);
  expect(fewer.options).toEqual(['o1']);
  const others = [...full.slice(0, 9), fewer, { ...last, key: 'other', options: ['x'] }];
  expect(() => patchField(others, fewer, { options }, 0)).toThrow(limit('options'));
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
  const field = defineField('text');
  const put = (before: Parameters<typeof putField>[1]) =>
    commitIn(table)(putField(organizationId, before, field));
  for (const before of [undefined, { version: 1, fields: [field] }]) {
    await put(before);
    await expect(put(before)).rejects.toMatchObject({ code: 'write_conflict' });
  }
  expect(await table.get(fieldsKind.key({ organizationId }))).toMatchObject({ version: 2 });
});

test('a change has no earlier time than the one before, though clocks differ', () => {
  const field = defineField('number');
  const before = Date.parse(field.updated_at);
  const updatedAt = (now: number) => patchField([field], field, { label: 'Years' }, now).updated_at;
  expect(updatedAt(before - 5000)).toBe(field.updated_at);
  expect(updatedAt(before + 5000)).toBe(new Date(before + 5000).toISOString());
});
