import type { RoutedOperation } from '../../lib/operations/definition.ts';
import type { Exchange } from './examples.ts';
import { parametersOf, type Schemas } from './schemas.ts';

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A UUID of the caller’s choice. The samples have none: each request needs its own. A repeat with it within 24 hours gets the first answer, and ' +
    'has no effect of its own; with another request of the same operation it is 409 `idempotency_key_reused`.',
  schema: { type: 'string', format: 'uuid' },
};
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the version that is to be changed, with its quotation marks; 412 ' +
    '`precondition_failed` if there is another.',
  schema: { type: 'string', maxLength: 100 },
};

/** `components.parameters`: the headers that operations have in common. */
export const parameterComponents = {
  // Neither header has an example: a page to try things out would send it each time.
  IdempotencyKey: idempotencyKey,
  IfMatch: ifMatch,
};

/** What an operation takes beside its body. Path parameters have an example, for who tries it out. */
export const parameters = (
  schemas: Schemas,
  { request, idempotent, takesIfMatch }: RoutedOperation,
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
  })),
  ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ...(takesIfMatch ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
];
