import type { AnyOperation } from '../../lib/operation.ts';
import type { Exchange } from './examples.ts';
import { parametersOf, type Schemas } from './schemas.ts';

const organizationId = {
  name: 'X-Organization-Id',
  in: 'header',
  required: true,
  description: 'The organization that the call acts in.',
  schema: { type: 'string', format: 'uuid' },
};
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A UUID of the caller’s choice. A repeat with it within 24 hours gets the first answer, and ' +
    'has no effect of its own; with another request it is 409 `idempotency_key_reused`.',
  schema: { type: 'string', format: 'uuid' },
};
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the version that is to be changed; 412 `precondition_failed` if there is another.',
  schema: { type: 'string', maxLength: 100 },
};

/** `components.parameters`: the headers that operations have in common, by an example each. */
export const parameterComponents = (exchanges: readonly Exchange[], organization: string) => ({
  OrganizationId: { ...organizationId, example: organization },
  IdempotencyKey: { ...idempotencyKey, example: firstHeader(exchanges, 'idempotency-key') },
  IfMatch: { ...ifMatch, example: firstHeader(exchanges, 'if-match') },
});

const firstHeader = (exchanges: readonly Exchange[], name: string) =>
  exchanges.find(({ headers }) => headers[name])?.headers[name];

/** What an operation takes beside its body. Path parameters have an example, for who tries it out. */
export const parameters = (
  schemas: Schemas,
  { request, idempotent, conditional }: AnyOperation,
  [example]: readonly Exchange[],
) => [
  { $ref: '#/components/parameters/OrganizationId' },
  ...parametersOf(schemas, request.path).map((one) => ({
    ...one,
    in: 'path',
    required: true,
    example: example?.path[one.name],
  })),
  ...parametersOf(schemas, request.query).map((one) => ({ ...one, in: 'query' })),
  ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ...(conditional ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
];
