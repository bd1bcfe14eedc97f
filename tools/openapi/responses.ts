import { errorBody } from '../../lib/errors/error-body.ts';
import { type ErrorCode, errorKinds } from '../../lib/errors/errors.ts';
import { isInOrganization, type RoutedOperation } from '../../lib/operations/definition.ts';
import { errorsOf, hasBody, successesOf } from '../../lib/operations/route.ts';
import { type Exchange, examplesOf } from './examples.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const rateLimit = {
  'RateLimit-Policy': header('RateLimit-Policy'),
  RateLimit: header('RateLimit'),
};
const requestId = { 'X-Request-Id': header('X-Request-Id') };
const replayed = { 'Idempotency-Replayed': header('Idempotency-Replayed') };
const onStatus: Record<number, object> = {
  429: { 'Retry-After': header('Retry-After') },
  503: { 'Retry-After': header('Retry-After') },
};

/** The headers that an error with one of these codes can have. */
const errorHeaders = (status: number, codes: readonly ErrorCode[]) => ({
  ...requestId,
  ...(status !== 401 && rateLimit),
  ...(codes.some((code) => 'recorded' in errorKinds[code]) && replayed),
  ...onStatus[status],
});

/** `components.headers`: what answers carry beside their bodies. */
export const headerComponents = {
  'X-Request-Id': {
    description: 'The request’s id: to quote to whoever runs the service.',
    schema: { type: 'string', format: 'uuid' },
  },
  ETag: {
    description: 'The version of what is answered, for `If-Match`.',
    schema: { type: 'string', pattern: '^"\\d+"$', maxLength: 17, examples: ['"1"'] },
  },
  'Idempotency-Replayed': {
    description: 'Only on a repeat: what follows is the answer to the first request.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds after which it is worth trying again.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3600 },
  },
  'RateLimit-Policy': {
    description:
      'What the organization may send: `q` requests at once, and as many again in each `w` seconds (draft-ietf-httpapi-ratelimit-headers-10). Told to members whose role allows the call.',
    schema: { type: 'string', maxLength: 100, examples: ['"organization";q=100;w=2'] },
  },
  RateLimit: {
    description:
      'How much of that is left, by an estimate: `r` requests now, and all of them in `t` seconds. `r=0` is not refused yet.',
    schema: { type: 'string', maxLength: 100, examples: ['"organization";r=80;t=1'] },
  },
} as const;

/** The responses of an operation: its own, and a reference for each that it shares with others. */
export const responsesOf = (
  schemas: Schemas,
  shared: SharedResponses,
  operation: RoutedOperation,
  exchanges: readonly Exchange[],
) => {
  const { response, idempotent, hasEtag } = operation;
  const own = exchanges.filter((one) => one.operationId === operation.id);
  const examples = (status: number) => examplesOf(own, status);
  const success = (status: number) => ({
    description: status === 202 ? 'Under way.' : hasBody(operation) ? 'Answered.' : 'Done.',
    headers: {
      ...requestId,
      ...(isInOrganization(operation) && rateLimit),
      ...(hasEtag && { ETag: header('ETag') }),
      ...(idempotent && replayed),
    },
    ...(hasBody(operation) && {
      content: {
        'application/json': {
          schema: schemas.add(response.body, 'output'),
          examples: examples(status),
        },
      },
    }),
  });
  const errors = Map.groupBy(errorsOf(operation), (code) => errorKinds[code].status);
  return Object.fromEntries([
    ...successesOf(operation).map((status) => [status, success(status)] as const),
    ...[...errors]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [status, shared.refer(status, codes, examples(status))]),
  ]);
};

/** The error responses that are the same wherever they come, as `components.responses`. */
export class SharedResponses {
  readonly components: Record<string, object> = {};
  readonly #schemas: Schemas;
  readonly #exchanges: readonly Exchange[];

  constructor(schemas: Schemas, exchanges: readonly Exchange[]) {
    this.#schemas = schemas;
    this.#exchanges = exchanges.filter((one) => one.operationId === '');
  }

  /** A response that has just one code and no example of its own is written once. */
  refer(status: number, codes: readonly ErrorCode[], examples: Record<string, object>): object {
    const [code, ...more] = codes;
    if (more.length > 0 || Object.keys(examples).length > 0) {
      const general = code === 'invalid_request' ? examplesOf(this.#exchanges, status) : {};
      // The operation's own examples give the order, and take the place of general examples of the same name.
      return this.#response(status, codes, { ...examples, ...general, ...examples });
    }
    this.components[code!] ??= this.#response(status, codes, examplesOf(this.#exchanges, status));
    return { $ref: `#/components/responses/${code}` };
  }

  #response(status: number, codes: readonly ErrorCode[], examples: object) {
    const withExamples = Object.keys(examples).length > 0 && { examples };
    return {
      description: codes.map((code) => `\`${code}\`: ${errorKinds[code].message}`).join('\n\n'),
      headers: errorHeaders(status, codes),
      content: {
        'application/json': { schema: this.#withCodes(codes), ...withExamples },
      },
    };
  }

  #withCodes(codes: readonly ErrorCode[]): JsonSchema {
    const code = codes.length === 1 ? { const: codes[0] } : { enum: codes };
    const error = { type: 'object', properties: { code: { type: 'string', ...code } } };
    return {
      allOf: [this.#schemas.add(errorBody, 'output'), { type: 'object', properties: { error } }],
    };
  }
}
