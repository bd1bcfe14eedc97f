import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { leadInput } from '../../../lib/leads/lead.ts';
import { detailsOf } from '../../support/problems.ts';

// Every limit of a lead's fields, on both sides.

const parse = (fields: object) => {
  const given = { contact_name: 'Maria Silva', pipeline_id: randomUUID(), ...fields };
  const { data } = z.safeParse(leadInput, given);
  const paths = detailsOf(leadInput, given).map(({ path }) => path);
  return { lead: data as Record<string, unknown> | undefined, paths };
};

const astral = '\u{1F680}';
const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag ${i}`);
const longEmail = (length: number) => `${'a'.repeat(length - '@example.com'.length)}@example.com`;

test.each([
  ['contact_name', 'x'],
  ['contact_name', astral.repeat(200)],
  ['company_name', astral.repeat(200)],
  ['email', longEmail(254)],
  ['email', 'o.brien+tag@mail.example.co'],
  ['phone', '+1234567'],
  ['phone', '+123456789012345'],
  ['external_id', astral.repeat(200)],
  ['tags', tags(20)],
  ['tags', [astral.repeat(50)]],
  ['value_cents', 0],
  ['value_cents', Number.MAX_SAFE_INTEGER],
  ['next_step_at', '2026-12-01T13:00:00.000Z'],
  ['next_step_at', '9999-12-31T23:59:59.999Z'],
  ['next_step', astral.repeat(200)],
])('%s takes %j', (field, value) => {
  expect(parse({ [field]: value }).lead?.[field]).toEqual(value);
});

test.each([
  ['contact_name', ''],
  ['contact_name', ' \t\n'],
  ['contact_name', astral.repeat(201)],
  ['contact_name', '\ud800'],
  ['contact_name', null],
  ['contact_name', 5],
  ['company_name', 'x'.repeat(201)],
  ['company_name', '\udc00 Ltd'],
  ['email', 'maria'],
  ['email', 'maria@example'],
  ['email', 'maria silva@example.com'],
  ['email', longEmail(255)],
  ['phone', '5511987654321'],
  ['phone', '+55 11 98765-4321'],
  ['phone', '+123456'],
  ['phone', '+1234567890123456'],
  ['phone', '+0123456789'],
  ['external_id', ' '],
  ['external_id', 'x'.repeat(201)],
  ['pipeline_id', 'sales'],
  ['pipeline_id', null],
  ['owner_id', 'me'],
  ['tags', tags(21)],
  ['tags', 'hot'],
  ['tags', ['a', 'b', 'a']],
  ['value_cents', -1],
  ['value_cents', 1.5],
  ['value_cents', '100'],
  ['value_cents', Number.MAX_SAFE_INTEGER + 1],
  ['next_step_at', '2026-12-01'],
  ['next_step_at', '2026-12-01T13:00:00'],
  ['next_step_at', '9999-12-31T23:59:59-01:00'],
  ['next_step', ' '],
  ['next_step', 'x'.repeat(201)],
])('%s refuses %j', (field, value) => {
  expect(parse({ [field]: value }).paths).toEqual([field]);
});

test.each([[['']], [['x'.repeat(51)]], [[1]]])('tags refuse %j', (value) => {
  expect(parse({ tags: value }).paths).toEqual(['tags.0']);
});

const texts = ['Text', 'https://example.com/a', 'maria@example.com', '+5511987650001'];

test.each(
  Object.entries(leadInput.shape).flatMap(([name, schema]) => {
    const text = texts.find((one) => z.safeParse(schema, one).success);
    return text === undefined ? [] : [[name, text, schema] as const];
  }),
)('%s takes a text as it is, or not at all', (_name, text, schema) => {
  expect(z.safeParse(schema, text).data).toBe(text);
  for (const changed of [` ${text}`, `${text}\t`, `${text}\n`]) {
    const { success, data } = z.safeParse(schema, changed);
    if (success) expect(data).toBe(changed);
  }
  for (const wrong of ['', ' ', `${text}\ud800`, text + 'a'.repeat(100_000)])
    expect(z.safeParse(schema, wrong).success).toBe(false);
});
