import { Memory } from '../../admission/memory.ts';
import type { OpenRequest } from '../../admission/open-request.ts';
import type { Admitted } from '../../admission/run.ts';
import type { RoutedOperation } from '../../operations/definition.ts';
import type { AnyCallerOperation } from '../../operations/kinds/caller-operation.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import { openTable, type TableClient } from '../../table/client.ts';
import type { Grant } from '../../table/grants.ts';
import { replyBeforeTimeoutMs } from '../../table/retry.ts';
import { readStoredKeys } from '../../tokens/stored-keys.ts';
import { TokenVerifier } from '../../tokens/verifier.ts';
import type { Asked } from './input.ts';
import { type ForeignMiddleware, type HttpHandler, type Middleware, middy } from './middleware.ts';
import { admission } from './middlewares/admission.ts';
import { authentication } from './middlewares/authentication.ts';
import { callerAdmission } from './middlewares/caller-admission.ts';
import { errorEnvelope } from './middlewares/error-envelope.ts';
import { jsonBody } from './middlewares/json-body.ts';
import { organizationHeader } from './middlewares/organization-header.ts';
import { requestLog } from './middlewares/request-log.ts';
import { requestScope } from './middlewares/request-scope.ts';

/** Makes an operation's Lambda handler. `others` are middlewares that stand around all of ours. */
export const serve = (operation: AnyOperation, ...others: ForeignMiddleware[]): HttpHandler =>
  chain(operation, admission(operation), others);

/** Makes the Lambda handler of an operation in no organization. */
export const serveCaller = (
  operation: AnyCallerOperation,
  ...others: ForeignMiddleware[]
): HttpHandler => chain(operation, callerAdmission(operation), others);

// docs/decisions/admission.md
/**
 * The middlewares of every request, outermost first. When the time is up, middy ends the handler, but no middleware. So
 * the middlewares that wait for something are a chain of their own, which is the handler of the outer chain.
 */
const chain = (
  operation: RoutedOperation,
  admitting: Middleware<Asked, Admitted>,
  others: readonly ForeignMiddleware[],
): HttpHandler => {
  const { table, verifier, memory } = openEnvironment();
  return middy({ timeoutEarlyInMillis: replyBeforeTimeoutMs })
    .use(others)
    .use(requestLog(operation))
    .use(errorEnvelope(operation))
    .use(requestScope(table, memory))
    .handler(
      middy<OpenRequest>()
        .use(authentication(verifier))
        .use(organizationHeader(operation))
        .use(jsonBody(operation))
        .use(admitting)
        .handler(async (_event, { reply }) => reply()),
    );
};

/** The chain's own grants: it reads who calls, counts requests, and records answers under keys. */
export const chainGrants = (operation: RoutedOperation): Grant[] => {
  const { idempotent } = operation;
  return [
    'GetItem',
    'UpdateItem REQUESTS#',
    ...(idempotent ? (['PutItem IDEMPOTENCY#'] as const) : []),
  ];
};

/**
 * What a function has for all its requests. Lambda loads its code before there is a request: so the issuer's keys are
 * read meanwhile. Elsewhere definitions are loaded without the environment's variables, and all waits for a request.
 */
const openEnvironment = () => {
  const table = memoize(openTable);
  const verifier = memoize(() => openVerifier(table));
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) verifier().prepare();
  return { table, verifier, memory: new Memory() };
};

const openVerifier = (table: () => TableClient): TokenVerifier => {
  const { ISSUER: issuer = '', AUDIENCE: audience = '', JWKS_URI: jwksUri = '' } = process.env;
  const readKeys = async () => readStoredKeys(table(), jwksUri);
  return new TokenVerifier({ issuer, audience, jwksUri }, readKeys);
};

const memoize = <T extends TableClient | TokenVerifier>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
