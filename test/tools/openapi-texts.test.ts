import { expect, test } from 'vitest';
import document from '../../docs/openapi.json' with { type: 'json' };

interface Schema {
  type?: string | string[];
  format?: string;
  pattern?: string;
  anyOf?: Schema[];
  $ref?: string;
}

const schemas: Record<string, object> = document.components.schemas;

/** Whether the schema alone says how long a text can be. A pattern does, if it has an end and repeats nothing without end. */
const isBounded = (schema: Schema): boolean =>
  ['maxLength', 'enum', 'const'].some((name) => name in schema) ||
  ['uuid', 'date', 'date-time'].includes(schema.format ?? '') ||
  schema.anyOf?.every(isBounded) ||
  /^\^[^+*]*\$$/.test((schema.pattern ?? '').replaceAll(/\\./g, ''));

/** Where texts without an end may stand. */
const endlessTexts = (schema: unknown, path = ''): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, $ref } = schema as Schema;
  if ($ref) return endlessTexts(schemas[$ref.replace('#/components/schemas/', '')], path);
  const isEndless = [type].flat().includes('string') && !isBounded(schema);
  const parts = Object.entries(schema).filter(([name]) => !/^examples?$/.test(name));
  return [
    ...(isEndless ? [path] : []),
    ...parts.flatMap(([name, one]) => endlessTexts(one, `${path}/${name}`)),
  ];
};

test('each text of a request says how long it can be', () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values<object>(path));
  const inputs = operations.map((one) => {
    const { parameters, requestBody } = one as { parameters?: object[]; requestBody?: object };
    return { parameters, requestBody };
  });
  expect(inputs.length).toBeGreaterThan(0);
  expect(endlessTexts(inputs)).toEqual([]);
});

test.each([
  [{ type: 'string', format: 'uri' }, 1],
  [{ type: ['string', 'null'] }, 1],
  [{ type: 'string', pattern: '^\\w+$' }, 1],
  [{ anyOf: [{ type: 'string', pattern: '\\S' }, { type: 'null' }] }, 1],
  [{ type: 'string', pattern: '^\\+[1-9]\\d{6,14}$' }, 0],
  [{ type: 'string', anyOf: [{ type: 'string', enum: ['me'] }, { type: 'string' }] }, 2],
  [{ type: 'string', maxLength: 3 }, 0],
  [{ type: 'integer' }, 0],
])('%j has endless texts: %d', (schema, count) => {
  expect(endlessTexts(schema)).toHaveLength(count);
});
