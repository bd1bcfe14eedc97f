import { type $ZodType, globalRegistry } from 'zod/v4/core';
import { tools } from '../../functions/agents/answer-agent.ts';
import type { Tool } from '../../lib/agents/tool.ts';
import { type JsonSchema, parametersOf, Schemas } from './schemas.ts';

/** What only the service checks, and models need not read. */
const unsaid = new Set([
  'pattern',
  'minLength',
  'maxItems',
  'maxProperties',
  'propertyNames',
  'default',
  'id',
]);

/** `lib/agents/schemas.ts`: JSON Schemas of what tools take, made of the operations’ own. */
export const toolSchemas = (): string => {
  const all = Object.fromEntries(tools.map((tool) => [tool.name, schemaOf(tool)]));
  return `// Made by npm run openapi, of the tools and their operations.

/** JSON Schemas of what tools take. */
export const argumentSchemas: Record<string, object> = ${JSON.stringify(all, null, 2)};
`;
};

const schemaOf = ({ input, needs, says = {} }: Tool) => {
  const schemas = new Schemas();
  const all = Object.entries(input).map(([name, schema]) => {
    const { description, ...own } = describe(name, schema, schemas);
    const said = says[name] ?? description;
    return [name, { ...own, ...(said !== undefined && { description: said }) }] as const;
  });
  const required =
    needs ?? all.flatMap(([name]) => (input[name]?._zod.optin === undefined ? name : []));
  return {
    type: 'object',
    properties: Object.fromEntries(all),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
};

/** The schema of an argument, which is a parameter of a query, or a field of a body. */
const describe = (name: string, schema: $ZodType, schemas: Schemas): JsonSchema => {
  const { description } = globalRegistry.get(schema) ?? {};
  const object = { _zod: { def: { shape: { [name]: schema } } } } as never;
  const [parameter] = parametersOf(schemas, object);
  const inBody = schemas.add(schema, 'input');
  // API Gateway gives a parameter as a list of texts: what such a list is in JSON is known to `parametersOf`.
  const isParameter = inBody.type === 'array' && parameter?.schema.type !== 'array';
  const told = shortened(isParameter ? parameter!.schema : inBody, schemas) as JsonSchema;
  return { ...told, ...(description !== undefined && { description }) };
};

/** The schema without what goes unsaid, and with named schemas in their places. */
const shortened = (value: unknown, schemas: Schemas): unknown => {
  if (Array.isArray(value)) return value.map((one) => shortened(one, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref) return shortened(schemas.components[$ref.split('/').at(-1)!], schemas);
  const entries = Object.entries(value)
    .filter(([name]) => !unsaid.has(name))
    // An empty text is as nothing, which a model leaves out.
    .map(([name, one]) => [
      name,
      name === 'enum' ? (one as unknown[]).filter((word) => word !== '') : shortened(one, schemas),
    ]);
  return Object.fromEntries(entries);
};
