import fc from 'fast-check';
import { type $ZodType, toJSONSchema } from 'zod/v4/core';

/** As much of JSON Schema as the operations' schemas come to. */
interface JsonSchema {
  type?: string;
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

/** Values that are there, by the name of the field that may name them. */
export type Known = Record<string, readonly string[]>;

/** Inputs that a schema mostly takes; what it only checks by code is left to chance. */
export const inputsOf = (schema: $ZodType, known: Known): fc.Arbitrary<unknown> =>
  valuesOf(toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, known, '');

const valuesOf = (schema: JsonSchema, known: Known, name: string): fc.Arbitrary<unknown> => {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((one) => valuesOf(one, known, name)));
  switch (schema.type) {
    case 'object':
      return objects(schema, known);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, known, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case 'string':
      return texts(schema, known[name]);
    case 'integer':
      return fc.maxSafeInteger().map((n) => Math.max(n, schema.minimum ?? n));
    case 'null':
      return fc.constant(null);
    default:
      return known[name] ? texts(schema, known[name]) : fc.jsonValue();
  }
};

const objects = ({ properties = {}, required = [] }: JsonSchema, known: Known) =>
  fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, valuesOf(one, known, name)]),
    ),
    { requiredKeys: required },
  );

const texts = ({ format }: JsonSchema, there: readonly string[] = []): fc.Arbitrary<string> =>
  fc.oneof(
    ...(there.length > 0 ? [{ weight: 8, arbitrary: fc.constantFrom(...there) }] : []),
    { weight: 1, arbitrary: format === 'uuid' ? fc.uuid() : fc.string({ unit: 'grapheme' }) },
    {
      weight: 1,
      arbitrary: format === 'email' ? fc.emailAddress() : fc.string({ unit: 'binary' }),
    },
  );
