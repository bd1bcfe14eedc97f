import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Lead, leadFieldNames, leadFields } from '../../../lib/leads/lead.ts';
import { mergeFields } from '../../../lib/leads/merge-fields.ts';
import { seed } from '../../support/random.ts';

const now = Date.parse('2026-11-22T08:00:00.000Z');
const at = '2026-11-22T07:00:00.000Z';

const none = Object.fromEntries(leadFieldNames.map((name) => [name, leadFields[name].empty]));

const lead = (fields: Partial<Lead> = {}): Lead =>
  ({
    ...none,
    id: randomUUID(),
    contact_name: 'Ana',
    pipeline_id: randomUUID(),
    stage: 'new',
    created_at: at,
    updated_at: at,
    ...fields,
  }) as Lead;

const one = (kept: Lead, gone: Lead, filterable: [string[], string[]] = [[], []]) =>
  mergeFields(
    { lead: kept, filterable: filterable[0] },
    { lead: gone, filterable: filterable[1] },
    now,
  );

const refusal = (path: string, message: string) =>
  expect.objectContaining({
    code: 'invalid_request',
    details: [{ path, message: expect.stringContaining(message) }],
  });

const nullable = leadFieldNames.filter((name) => leadFields[name].empty === null);

test(`the survivor keeps what it has, and what it lacks comes from the other (SEED=${seed})`, () => {
  // What is 0 is not empty.
  const some = fc.option(fc.constantFrom<string | number>('a', 0));
  const tags = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'));
  const fields = fc.dictionary(fc.constantFrom('k', 'l', 'm'), fc.constantFrom<string>('1', '2'));
  const values = fc.record(Object.fromEntries(nullable.map((name) => [name, some])));
  const any = fc
    .tuple(values, tags, fields)
    .map(([named, own, custom]) => lead({ ...named, tags: own, fields: { ...custom } } as never));
  fc.assert(
    fc.property(any, any, (kept, gone) => {
      const { lead: after } = one(kept, gone);
      const { id, contact_name, pipeline_id, stage, created_at } = kept;
      expect(after).toMatchObject({ id, contact_name, pipeline_id, stage, created_at });
      for (const name of nullable) {
        expect(after[name]).toBe(kept[name] === null ? gone[name] : kept[name]);
      }
      expect(new Set(after.tags)).toEqual(new Set([...kept.tags, ...gone.tags]));
      expect(after.tags.slice(0, kept.tags.length)).toEqual(kept.tags);
      expect(after.fields).toEqual({ ...gone.fields, ...kept.fields });
      expect(Object.keys(after.fields)).toEqual(Object.keys(after.fields).sort());
    }),
    { seed },
  );
});

test('a lead has 20 tags at most, also of two: a refusal says how many they would be, and none of them', () => {
  const tags = (word: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${word}${i}`);
  const [kept, gone] = [lead({ tags: tags('a', 12) }), lead({ tags: ['a0', ...tags('b', 8)] })];
  expect(one(kept, gone).lead.tags.length).toBe(20);
  const more = lead({ tags: tags('b', 9) });
  const message = 'would be 21, and a lead has at most 20';
  expect(() => one(kept, more)).toThrow(refusal('tags', message));
});

test('custom fields have 8,192 bytes together, also of two', () => {
  // In JSON: {"a":"…","b":"…"}
  const fields = (key: string, bytes: number) => ({ fields: { [key]: 'x'.repeat(bytes) } });
  const kept = lead(fields('a', 4000));
  const merged = (bytes: number) => Object.keys(one(kept, lead(fields('b', bytes))).lead.fields);
  expect(merged(8192 - 4000 - 15)).toEqual(['a', 'b']);
  expect(() => merged(8192 - 4000 - 14)).toThrow(refusal('fields', '8192'));
});

test('it is listed by the fields of both, and no change goes back in time', () => {
  const later = '2026-11-22T09:00:00.000Z';
  const gone = lead({ fields: { b: 'x' }, updated_at: later });
  const after = one(lead({ fields: { c: 'x', a: 'x' } }), gone, [['a', 'c'], ['b']]);
  expect([after.filterable, after.lead.updated_at]).toEqual([['a', 'b', 'c'], later]);
  expect(one(lead(), lead()).lead.updated_at).toBe(new Date(now).toISOString());
});
