import { isDeepStrictEqual } from 'node:util';
import {
  type $ZodObject,
  type $ZodOptional,
  type $ZodPipe,
  type $ZodType,
  globalRegistry,
  toJSONSchema,
} from 'zod/v4/core';

export type JsonSchema = Record<string, unknown> & { properties?: Record<string, JsonSchema> };

/** The named schemas that were met, as `components.schemas`. What is sent is closed; answers may get new fields. */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {};

  /** A schema that refers to the named schemas in it. Meta `documentedAs` names the schema to show for another. */
  add(schema: $ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        if (io === 'output' && jsonSchema.additionalProperties === false) {
          delete jsonSchema.additionalProperties;
        }
        const { documentedAs } = globalRegistry.get(zodSchema) ?? {};
        if (!documentedAs) return;
        delete jsonSchema.documentedAs;
        Object.assign(jsonSchema, this.add(documentedAs as $ZodType, io));
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, one] of Object.entries($defs)) this.#name(name, one);
    const { id, ...rest } = own;
    if (typeof id !== 'string') return inComponents(own);
    this.#name(id, rest);
    return { $ref: `#/components/schemas/${id}` };
  }

  /** Throws where another schema has the name, or the same schema as it is answered, not sent. */
  #name(name: string, { id: _, ...schema }: JsonSchema): void {
    const one = inComponents(schema);
    const other = this.components[name];
    if (other && !isDeepStrictEqual(other, one)) {
      throw new Error(
        `two schemas are named ${name}, or one is both sent and answered: give one another \`id\``,
      );
    }
    this.components[name] = one;
  }
}

/** Drops zod's patterns where a format says the same, zod's own format e164, and a bound that only JavaScript has. */
const tidy = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map(tidy) as T;
  if (typeof value !== 'object' || value === null) return value;
  const schema: JsonSchema = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, tidy(one)]),
  );
  if (schema.format === 'e164') delete schema.format;
  else if (typeof schema.format === 'string') {
    delete schema.pattern;
    delete schema.allOf;
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  return schema as T;
};

const inComponents = <T>(schema: T): T =>
  tidy(JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/')));

export interface Parameter {
  name: string;
  required: boolean;
  description: string | undefined;
  schema: JsonSchema;
}

/** The parameters that a path or query schema describes. */
export const parametersOf = (schemas: Schemas, object: $ZodObject | undefined): Parameter[] =>
  Object.entries(object?._zod.def.shape ?? {}).map(([name, field]) => {
    const { description, ...own } = globalRegistry.get(field) ?? {};
    const value = sentOnce(withoutOptional(field));
    const schema = schemas.add(value, endsInTransform(value) ? 'input' : 'output');
    return {
      name,
      required: field._zod.optin === undefined,
      description,
      schema: { ...schema, ...own },
    };
  });

const withoutOptional = (schema: $ZodType): $ZodType =>
  is<$ZodOptional>(schema, 'optional') ? schema._zod.def.innerType : schema;

/** The schema of a value that `once` takes out of the list that API Gateway gives. */
const sentOnce = (schema: $ZodType): $ZodType => {
  if (!is<$ZodPipe>(schema, 'pipe') || !is(schema._zod.def.in, 'array')) return schema;
  return (schema._zod.def.out as $ZodPipe)._zod.def.out;
};

/** Whether a schema can be described before its transform only: what the code checks afterwards is no text of the client's. */
const endsInTransform = (schema: $ZodType): boolean => {
  if (!is<$ZodPipe>(schema, 'pipe')) return false;
  const { out } = schema._zod.def;
  return is(is<$ZodPipe>(out, 'pipe') ? out._zod.def.in : out, 'transform');
};

const is = <S extends $ZodType>(schema: $ZodType, type: string): schema is S =>
  schema._zod.def.type === type;
