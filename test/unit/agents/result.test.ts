import { expect, test } from 'vitest';
import { mostResultBytes, toResult } from '../../../lib/agents/result.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a short answer is whole, as structured content and as the same text', () => {
  const { content, structuredContent, isError } = toResult([{ stars: 5 }, { stars: 'fewer' }]);
  expect([structuredContent, isError]).toEqual([{ stars: 5 }, undefined]);
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
});

test('the first form that has room is taken before anything is cut', () => {
  const row = { id: 'x'.repeat(30), n: 1 };
  const many = Array.from({ length: 90 }, () => row);
  const { structuredContent } = toResult([
    { many, next: 'all' },
    { few: [row], next: 'few' },
  ]);
  expect(structuredContent).toMatchObject({ next: 'few' });
});

test('a long text is cut, and tells by how much; what the service says is not', () => {
  const { structuredContent } = toResult([{ note: { text: 'é'.repeat(10_000) }, next: 'read on' }]);
  expect(structuredContent).toMatchObject({
    next: 'read on',
    note: { untrusted: { text: `${'é'.repeat(1000)}… (9000 more characters)` } },
  });
});

test.each([
  ['marks of JSON', '"\\'],
  ['controls', '\u0001'],
  ['characters of four bytes', '🌟'],
  ['letters', 'a'],
])('no answer is longer than it may be, with texts of %s', (_, piece) => {
  const name = piece.repeat(200);
  const row = { id: crypto.randomUUID(), contact_name: name, stage: name.slice(0, 50) };
  const rows = Array.from({ length: 20 }, () => row);
  const result = toResult([{ rows }]);
  expect(bytesOf(result)).toBeLessThanOrEqual(mostResultBytes);
  // A list of as many entries as a page has stays whole: its cursor goes on after the last.
  expect((result.structuredContent as { rows: unknown[] }).rows.length).toBe(20);
});

test('lists and objects without end are cut, too', () => {
  const list = Array.from({ length: 5000 }, (_, i) => i);
  const fields = Object.fromEntries(list.map((i) => [`field_${i}`, 'x'.repeat(50)]));
  const result = toResult([{ list, fields }]);
  expect(bytesOf(result)).toBeLessThanOrEqual(mostResultBytes);
  expect(JSON.stringify(result)).toMatch(/\d+ more left out/);
});
