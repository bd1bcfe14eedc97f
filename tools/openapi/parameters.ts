import type { RoutedOperation } from '../../lib/operations/definition.ts';
import type { Exchange } from './examples.ts';
import { optionalExamples } from './parameter-examples.ts';
import { type JsonSchema, parametersOf, type Schemas } from './schemas.ts';

/**
 * A schema with an example, inside of `allOf`: there Postman takes it, and Bruno does not send what nobody has asked for.
 */
const withExample = (name: string, schema: JsonSchema): JsonSchema => {
  const given = optionalExamples[name];
  // A parameter that is a day has the day of the time that others of its name have.
  const example = schema.format === 'date' ? String(given).slice(0, 10) : given;
  return example === undefined ? schema : { allOf: [schema, { example }] };
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A UUID of the caller’s choice: each request needs its own. A repeat with it within 24 hours gets the first answer, and ' +
    'has no effect of its own; with another request of the same operation it is 409 `idempotency_key_reused`.',
  schema: withExample('Idempotency-Key', { type: 'string', format: 'uuid' }),
};
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the version that is to be changed, with its quotation marks; 412 ' +
    '`precondition_failed` if there is another. `*` is any version.',
  schema: withExample('If-Match', { type: 'string', maxLength: 100 }),
};

const organizationId = {
  name: 'X-Organization-Id',
  in: 'header',
  description:
    'The organization in which the call acts. Needed with an id_token or a platform key; with another API key it may be left out.',
  schema: withExample('X-Organization-Id', { type: 'string', format: 'uuid' }),
};

/** `components.parameters`: the headers that operations have in common. */
export const parameterComponents = {
  OrganizationId: organizationId,
  IdempotencyKey: idempotencyKey,
  IfMatch: ifMatch,
};

/** What an operation takes beside its body. Each has an example, for who tries it out. */
export const parameters = (
  schemas: Schemas,
  { request, scope, idempotent, takesIfMatch }: RoutedOperation,
  [example]: readonly Exchange[],
) => [
  ...parametersOf(schemas, request.path).map((one) => ({
    ...one,
    in: 'path',
    required: true,
    example: example?.path[one.name],
  })),
  ...parametersOf(schemas, request.query).map((one) => ({
    ...one,
    in: 'query',
    ...(one.schema.type === 'object' && { style: 'deepObject', explode: true }),
    schema: withExample(one.name, one.schema),
  })),
  ...(scope === 'platform' ? [] : [{ $ref: '#/components/parameters/OrganizationId' }]),
  ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ...(takesIfMatch ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
];
