import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { globalRegistry } from 'zod/v4/core';
import { operation } from '../../functions/leads/get-lead.ts';
import { changeTypes } from '../../lib/changes/change.ts';
import { openApiDocument } from '../../tools/openapi/document.ts';
import { Schemas } from '../../tools/openapi/schemas.ts';
import type { posted } from '../../tools/openapi/webhook-messages.ts';

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

test('each type of change, and the test, is a webhook of its own, whose body is one named schema', () => {
  const { webhooks, components } = openApiDocument([], []);
  expect(Object.keys(webhooks).sort()).toEqual([...changeTypes, 'webhook.test'].sort());
  const refs = Object.values<ReturnType<typeof posted>[string]>(webhooks).map(({ post }) =>
    String(post.requestBody.content['application/json'].schema.$ref),
  );
  expect(new Set(refs).size).toBe(changeTypes.length + 1);
  for (const [i, type] of Object.keys(webhooks).entries()) {
    const schema = components.schemas[refs[i]!.split('/').at(-1)!];
    expect(schema).toMatchObject({ properties: { type: { const: type } } });
  }
});

test('the document has no operation of an area that the lists of calls do not know', () => {
  const elsewhere = { ...operation, path: '/labels' as const };
  expect(() => openApiDocument([elsewhere], [])).toThrow('texts.ts has none for /labels');
});
