import type { APIGatewayProxyEvent } from 'aws-lambda';
import { validate } from 'uuid';
import type { Input } from '../../admission/input.ts';
import type { OpenRequest } from '../../admission/open-request.ts';
import { invalid } from '../../errors/errors.ts';
import type { RoutedOperation } from '../../operations/definition.ts';
import type { Caller } from '../../organizations/caller.ts';
import { type IfMatch, parseIfMatch } from '../../schema/etag.ts';
import { type SentHeaders, singleHeader } from './headers.ts';
import type { JsonBody } from './middlewares/json-body.ts';
import type { NamedOrganization } from './middlewares/organization-header.ts';

/** The context of a request that is to be admitted. */
export type Asked = OpenRequest & Caller & NamedOrganization & JsonBody;

/** What a request asks of an operation. */
export const inputOf = (
  operation: RoutedOperation,
  event: APIGatewayProxyEvent,
  { json }: JsonBody,
): Input => ({
  isLarge: json.isLarge,
  read: () => ({
    body: json.read(),
    idempotencyKey: operation.idempotent ? idempotencyKeyOf(event) : undefined,
    ifMatch: operation.takesIfMatch ? ifMatchOf(event) : undefined,
    path: event.pathParameters ?? {},
    query: event.multiValueQueryStringParameters ?? {},
  }),
});

/**
 * A key with quotation marks around it, as draft-ietf-httpapi-idempotency-key-header writes it, is the same as the key
 * without.
 */
const idempotencyKeyOf = (event: SentHeaders): string | undefined => {
  const sent = singleHeader(event, 'Idempotency-Key');
  if (sent === undefined) return undefined;
  const key = /^"(.*)"$/.exec(sent)?.[1] ?? sent;
  if (!validate(key)) throw invalid('Idempotency-Key', 'must be a UUID');
  return key.toLowerCase();
};

const ifMatchOf = (event: SentHeaders): IfMatch => {
  const value = singleHeader(event, 'If-Match');
  return value === undefined ? undefined : parseIfMatch(value);
};
