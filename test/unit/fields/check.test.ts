import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import {
  assertFilters,
  type CustomFields,
  noFields,
  parseFilterText,
  updateCustomFields,
} from '../../../lib/fields/check.ts';
import type { Field, FieldType } from '../../../lib/fields/definition.ts';
import { type FieldValuesPatch, filterText, mostFieldBytes } from '../../../lib/fields/values.ts';
import { fakeReads } from '../../support/fake-table.ts';
import { seed } from '../../support/random.ts';
import { defineField } from './field-definition.ts';

const itemOf = (...fields: Field[]) => ({ version: 1, fields });

/** What work returns; or what it says is wrong. */
const outcomeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as ApiError).details?.map(({ path, message }) => `${path} ${message}`);
  }
};

const outcome = (field: Field, value: unknown): unknown =>
  outcomeOf(() => {
    const given = { [field.key]: value } as FieldValuesPatch;
    return updateCustomFields(noFields, given, itemOf(field)).fields[field.key];
  });
const refused = (type: FieldType) => [expect.stringMatching(`^fields.${type} must be `)];

test.each<[FieldType, unknown]>([
  ['text', 'x'.repeat(500)],
  ['text', '😀'.repeat(500)],
  ['number', -1e15],
  ['number', 1e15],
  ['number', 0.000001],
  ['number', 123456789.123456],
  ['boolean', false],
  ['date', '2024-02-29'],
  ['select', 'c'],
  ['multi_select', ['c', 'a']],
  ['url', 'https://example.com/é?a=b#c'],
  ['url', `http://example.com/${'x'.repeat(1981)}`],
  ['url', `http://example.com/${'😀'.repeat(1981)}`],
])('%s takes %j as it is', (type, value) => {
  expect(outcome(defineField(type), value)).toEqual(value);
});

test.each<[FieldType, unknown]>([
  ['text', 'x'.repeat(501)],
  ['text', 1],
  ['number', '1'],
  ['number', 1e15 + 1],
  ['number', 0.0000001],
  ['number', Number.POSITIVE_INFINITY],
  ['boolean', 'true'],
  ['date', '2025-02-29'],
  ['date', '2025-02-28T00:00:00Z'],
  ['datetime', '2025-02-28'],
  ['datetime', '2025-02-28T00:00:00'],
  ['datetime', '9999-12-31T23:59:59-01:00'],
  ['datetime', '0000-01-01T00:00:00+01:00'],
  ['select', 'd'],
  ['select', ['a']],
  ['multi_select', 'a'],
  ['multi_select', ['a', 'a']],
  ['multi_select', ['a', 'd']],
  ['url', 'ftp://example.com'],
  ['url', 'javascript:alert(1)'],
  ['url', 'https://'],
  ['url', 'https://example.com/a b'],
  ['url', `http://example.com/${'x'.repeat(1982)}`],
  ['url', `http://example.com/${'😀'.repeat(1982)}`],
])('%s refuses %j', (type, value) => {
  expect(outcome(defineField(type), value)).toEqual(refused(type));
});

test('a time is stored in UTC, no zero has a sign, and an empty list clears', () => {
  expect(outcome(defineField('datetime'), '2026-11-21T09:00:00-03:00')).toBe(
    '2026-11-21T12:00:00.000Z',
  );
  expect(Object.is(outcome(defineField('number'), -0), 0)).toBe(true);
  expect(outcome(defineField('multi_select'), [])).toBeUndefined();
});

test('what a lead has already may be sent again, of a field that was archived, and an option that was removed', () => {
  const before = { fields: { text: 'old', select: 'a' }, filterable: ['text'] };
  const later = itemOf(
    defineField('text', { archived: true, filterable: true }),
    defineField('select', { options: ['b'] }),
  );
  const after = (given: FieldValuesPatch, of: CustomFields = before) =>
    updateCustomFields(of, given, later);
  expect(after({ text: 'old', select: 'a' })).toEqual(before);
  expect(after({ select: 'b' }).fields).toEqual({ text: 'old', select: 'b' });
  expect(after({ text: null })).toEqual({ fields: { select: 'a' }, filterable: [] });
  expect(() => after({ text: 'new' })).toThrow(ApiError);
  expect(() => after({ select: 'a' }, noFields)).toThrow(ApiError);
  // A time may be sent again in any spelling, and no other time.
  const timed = { fields: { datetime: '2026-11-21T12:00:00.000Z' }, filterable: [] };
  const archived = itemOf(defineField('datetime', { archived: true }));
  const afterTime = (datetime: string) =>
    outcomeOf(() => updateCustomFields(timed, { datetime }, archived));
  expect(afterTime('2026-11-21T09:00:00-03:00')).toEqual(timed);
  for (const other of ['2026-11-21T09:00:00Z', 'x']) {
    expect(afterTime(other)).toEqual(['fields.datetime is archived, and takes no new value']);
  }
});

test('an option that was removed stays beside others that come and go, and does not come back', () => {
  const later = itemOf(defineField('multi_select', { options: ['b', 'c'] }));
  const after = (multi_select: string[], had = ['a', 'b']) =>
    updateCustomFields({ fields: { multi_select: had }, filterable: [] }, { multi_select }, later)
      .fields.multi_select;
  for (const all of [['a', 'b', 'c'], ['c', 'a'], ['c']]) expect(after(all)).toEqual(all);
  for (const all of [
    ['a', 'd'],
    ['a', 'a'],
  ])
    expect(() => after(all)).toThrow(ApiError);
  expect(() => after(['a', 'b'], ['b'])).toThrow(ApiError);
});

test('what a lead is filtered by stays so, also by definitions from before that field was made', () => {
  const before = { fields: { text: 'a', newer: 'b' }, filterable: ['newer', 'text'] };
  const item = itemOf(
    defineField('text', { filterable: true }),
    defineField('select', { filterable: true }),
  );
  expect(updateCustomFields(before, { select: 'c', text: null }, item)).toEqual({
    fields: { newer: 'b', select: 'c' },
    filterable: ['newer', 'select'],
  });
});

test('everything that is wrong is named, the first 20 of it, and what is right is not', () => {
  const unknown = Object.fromEntries(Array.from({ length: 19 }, (_, i) => [`f${i}`, 'x']));
  const given = { text: 1, boolean: true, ...unknown, number: 'x' };
  const item = itemOf(defineField('text'), defineField('number'), defineField('boolean'));
  const told = outcomeOf(() => updateCustomFields(noFields, given, item));
  expect(told).toEqual([
    expect.stringMatching(/^fields.text must be /),
    ...Object.keys(unknown).map((key) => `fields.${key} is not a field of this organization`),
  ]);
});

// Leads may still have what was an option once.
test.each([
  [{ select: 'gone', boolean: 'true', number: '12.5', date: '1990-01-31' }, []],
  [{ other: 'x' }, ['fields.other is not a field of this organization']],
  [{ url: 'https://example.com' }, ['fields.url is not filterable']],
  [{ boolean: 'yes' }, ['fields.boolean must be true or false']],
  [{ number: '07' }, ['fields.number must be a number in its shortest form, as 12.5']],
  [{ number: `${2 ** 53}` }, ['fields.number must be a number in its shortest form, as 12.5']],
  [{ date: '1990' }, ['fields.date must be a date, as 2026-11-21']],
])('leads filtered by %j: %j', async (filters, problems) => {
  const types = ['select', 'boolean', 'number', 'date', 'url'] as const;
  const item = itemOf(...types.map((type) => defineField(type, { filterable: type !== 'url' })));
  const reader = fakeReads((key) => ({ ...key, ...item }));
  const found = await assertFilters(reader, 'o', filters as Record<string, string>).then(
    () => [],
    ({ details }: ApiError) => details?.map(({ path, message }) => `${path} ${message}`),
  );
  expect(found).toEqual(problems);
});

test(`all together have at most ${mostFieldBytes} bytes of JSON`, () => {
  const all = Array.from({ length: 17 }, (_, i) => defineField('text', { key: `t${10 + i}` }));
  // {"t10":"…","t11":"…"}: nine more for each, and one.
  const given = (length: number) =>
    Object.fromEntries(all.map(({ key }, i) => [key, 'x'.repeat(i === 0 ? length : 472)]));
  const exact = mostFieldBytes - 1 - 9 * 17 - 472 * 16;
  const { fields } = updateCustomFields(noFields, given(exact), itemOf(...all));
  expect(Buffer.byteLength(JSON.stringify(fields))).toBe(mostFieldBytes);
  const beyond = outcomeOf(() => updateCustomFields(noFields, given(exact + 1), itemOf(...all)));
  expect(beyond).toEqual(['fields must have at most 8192 bytes of JSON together']);
});

test.each([
  ['1000000000000000', 1e15],
  ['-12.5', -12.5],
  ['0.000001', 0.000001],
  // These no number field has, and DynamoDB may not take them.
  ['1000000000000001'],
  ['1e-200'],
  ['5.0'],
  ['-0'],
  ['NaN'],
  ['Infinity'],
  [''],
])('what is looked for by the text %j, also as a number', (...all) => {
  expect(parseFilterText(all[0] as string)).toEqual(all);
});

test(`a value is filtered by one text, and by that text alone (SEED=${seed})`, () => {
  const values = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.integer().map((n) => n / 1e6 + 0),
    fc.constantFrom('true', '5', '5.0', '-0', '', '1e+21', '1e-200', 'Infinity'),
  );
  fc.assert(
    fc.property(values, (value) => {
      const all = parseFilterText(filterText(value));
      expect(all).toContain(value);
      expect(all.map(filterText)).toEqual(all.map(() => filterText(value)));
    }),
    { seed },
  );
});

test(`patches in a row are as their merge, in whatever order the keys come (SEED=${seed})`, () => {
  const item = itemOf(
    defineField('text', { filterable: true }),
    defineField('boolean'),
    defineField('number'),
  );
  const patch = fc.oneof(
    fc.record(
      {
        text: fc.option(fc.constantFrom('a', 'b')),
        boolean: fc.option(fc.boolean()),
        number: fc.option(fc.nat(3)),
      },
      { requiredKeys: [] },
    ),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.array(patch), (patches) => {
      let [state, model] = [noFields, {} as Record<string, unknown>];
      for (const given of patches) {
        state = updateCustomFields(state, given, item);
        model = given === null ? {} : { ...model, ...given };
      }
      const expected = Object.entries(model).filter(([, value]) => value !== null);
      expect(state.fields).toEqual(Object.fromEntries(expected));
      expect(Object.keys(state.fields)).toEqual(Object.keys(state.fields).sort());
      expect(state.filterable).toEqual('text' in state.fields ? ['text'] : []);
    }),
    { seed },
  );
});
