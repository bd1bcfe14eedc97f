import { expect, test } from 'vitest';
import { places } from '../../../lib/table/keys.ts';
import { Place } from '../../../lib/table/place.ts';

const place = new Place('NOTES#<organizationId>#<leadId>', 'NOTE#<noteId>');
const ids = { organizationId: 'o', leadId: 'l', noteId: 'n' };
const key = { pk: 'NOTES#o#l', sk: 'NOTE#n' };

test('a place makes keys of ids, and gives the ids of its keys', () => {
  expect(place.key(ids)).toEqual(key);
  expect([place.partition(ids), place.sort(ids)]).toEqual([key.pk, key.sk]);
  expect([place.prefix, place.sortPrefix]).toEqual(['NOTES#', 'NOTE#']);
  expect(place.find(key)).toEqual(ids);
  expect(place.idsOf(key)).toEqual(ids);
});

test.each([
  ['another beginning', { pk: 'ANOTES#o#l', sk: 'NOTE#n' }],
  ['another sort key', { pk: 'NOTES#o#l', sk: 'TEXT#n' }],
  ['an id less', { pk: 'NOTES#o', sk: 'NOTE#n' }],
  ['a part of another key before', { pk: 'X NOTES#o#l', sk: 'NOTE#n' }],
])('a key with %s is of another place', (_what, other) => {
  expect(place.find(other)).toBeUndefined();
  expect(() => place.idsOf(other)).toThrow('NOTES#<organizationId>#<leadId>');
});

test.each([
  ['#', 'a#b'],
  ['a line break', 'a\nb'],
  ['what a pattern means', '.*$&$1'],
  ['nothing', ''],
])('the last id of a key may have %s', (_what, value) => {
  const some = { ...ids, leadId: value, noteId: value };
  expect(place.idsOf(place.key(some))).toEqual(some);
});

test('a sign of patterns in a template is only itself', () => {
  const dotted = new Place('A.B#<id>', '(<word> <leadId>)');
  const some = { id: 'i', word: 'maria', leadId: 'l' };
  expect(dotted.idsOf(dotted.key(some))).toEqual(some);
  expect(dotted.find({ pk: 'AxB#i', sk: '(maria l)' })).toBeUndefined();
});

test('a place without ids has one key', () => {
  const plans = new Place('PLANS', 'ALL');
  expect(plans.key({})).toEqual({ pk: 'PLANS', sk: 'ALL' });
  expect(plans.find({ pk: 'PLANS', sk: 'ALL' })).toEqual({});
  expect(plans.find({ pk: 'PLANS', sk: 'ALL ' })).toBeUndefined();
});

test('the ids of every key are found again, however many it has', () => {
  for (const [what, one] of Object.entries(places)) {
    const templates = `${one.partitionTemplate} ${one.sortTemplate}`;
    const names = [...templates.matchAll(/<(\w+)>/g)].map(([, name = '']) => name);
    const some = Object.fromEntries(names.map((name, i) => [name, `id-${i}`]));
    expect([what, one.find(one.key(some as never))]).toEqual([what, some]);
  }
});
