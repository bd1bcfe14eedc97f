import type { OpenRequest } from '../../admission/open-request.ts';
import type { Admitted } from '../../admission/run.ts';
import type { RoutedOperation } from '../../operations/definition.ts';
import type { AnyCallerOperation } from '../../operations/kinds/caller-operation.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import type { Grant } from '../../table/grants.ts';
import { replyBeforeTimeoutMs } from '../../table/retry.ts';
import { openEnvironment } from './environment.ts';
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

// esbuild leaves out a handler that nobody asks for: who runs several operations in one function opens no environment of
// each.

/** Makes an operation's Lambda handler. `others` are middlewares that stand around all of ours. */
/* @__NO_SIDE_EFFECTS__ */
export const serve = (operation: AnyOperation, ...others: ForeignMiddleware[]): HttpHandler =>
  chain(operation, admission(operation), others);

/** Makes the Lambda handler of an operation in no organization. */
/* @__NO_SIDE_EFFECTS__ */
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
