import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { globalRegistry } from 'zod/v4/core';
import { operation } from '../../functions/leads/get-lead.ts';
import { openApiDocument } from '../../tools/openapi/document.ts';
import { Schemas } from '../../tools/openapi/schemas.ts';

test('a name that two schemas have is refused, one that a schema has twice is not', () => {
  const named = (of: z.ZodMiniType) =>
    z.strictObject({ of }).check(z.meta({ id: 'OnlyOfThisTest' }));
  const one = named(z.string());
  const schemas = new Schemas();
  const answers = { $ref: '#/components/schemas/OnlyOfThisTest' };
  expect(schemas.add(one, 'output')).toEqual(answers);
  expect(schemas.add(one, 'output')).toEqual(answers);
  const refusal = /two schemas are named OnlyOfThisTest/;
  expect(() => schemas.add(one, 'input'), 'closed, as it is sent').toThrow(refusal);
  globalRegistry.remove(one);
  expect(() => schemas.add(named(z.number()), 'output')).toThrow(refusal);
});

test('the document has no operation of an area that the lists of calls do not know', () => {
  const elsewhere = { ...operation, path: '/labels' as const };
  expect(() => openApiDocument([elsewhere], [])).toThrow('texts.ts has none for /labels');
});
