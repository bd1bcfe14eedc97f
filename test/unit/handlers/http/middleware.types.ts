import type core from '@middy/core';
import httpSecurityHeaders from '@middy/http-security-headers';
import type { Context } from 'aws-lambda';
import { Memory } from '../../../../lib/admission/memory.ts';
import type { OpenRequest } from '../../../../lib/admission/open-request.ts';
import { type HttpHandler, middy } from '../../../../lib/handlers/http/middleware.ts';
import { admission } from '../../../../lib/handlers/http/middlewares/admission.ts';
import { authentication } from '../../../../lib/handlers/http/middlewares/authentication.ts';
import { errorEnvelope } from '../../../../lib/handlers/http/middlewares/error-envelope.ts';
import { jsonBody } from '../../../../lib/handlers/http/middlewares/json-body.ts';
import { knownOrigin } from '../../../../lib/handlers/http/middlewares/known-origin.ts';
import { organizationHeader } from '../../../../lib/handlers/http/middlewares/organization-header.ts';
import { requestLog } from '../../../../lib/handlers/http/middlewares/request-log.ts';
import { requestScope } from '../../../../lib/handlers/http/middlewares/request-scope.ts';
import type { AnyOperation } from '../../../../lib/operations/kinds/operation.ts';
import type { TableClient } from '../../../../lib/table/client.ts';
import type { TokenVerifier } from '../../../../lib/tokens/verifier.ts';

// Compiled, never run: a middleware stands after those that add what it needs.
export const ordered = (
  operation: AnyOperation,
  table: () => TableClient,
  verifier: () => TokenVerifier,
) => {
  const outer = () => middy().use(requestLog(operation)).use(errorEnvelope(operation));
  const inner = () => middy<OpenRequest>().use(authentication(verifier));
  const reply = async () => ({ body: undefined });
  const scope = requestScope(table, new Memory());

  inner().use(organizationHeader(operation)).use(jsonBody(operation)).use(admission(operation));
  middy<OpenRequest>().use(knownOrigin()).use(authentication(verifier));
  // @ts-expect-error: the caller is asked for its token already
  inner().use(knownOrigin());
  // @ts-expect-error: the caller is not known yet
  middy<OpenRequest>().use(organizationHeader(operation)).use(authentication(verifier));
  // @ts-expect-error: the body of nobody is not parsed
  middy<OpenRequest>().use(jsonBody(operation)).use(authentication(verifier));
  // @ts-expect-error: the organization is missing
  inner().use(jsonBody(operation)).use(organizationHeader(operation)).use(admission(operation));
  // @ts-expect-error: the body is missing
  inner().use(organizationHeader(operation)).use(admission(operation)).use(jsonBody(operation));
  // @ts-expect-error: what takes time stands within the request
  middy().use(authentication(verifier)).use(requestLog(operation)).use(scope);
  // @ts-expect-error: the envelope stands within the log
  middy().use(errorEnvelope(operation)).use(requestLog(operation));
  // @ts-expect-error: the request is opened within the envelope
  middy().use(requestLog(operation)).use(scope).use(errorEnvelope(operation));
  // @ts-expect-error: what waits stands in the chain within
  outer().use(scope).use(authentication(verifier));

  outer().use(scope).handler(inner().handler(reply)) satisfies HttpHandler;
  // @ts-expect-error: no request is open
  outer().handler(inner().handler(reply));
  // @ts-expect-error: no request is open
  inner().handler(reply) satisfies HttpHandler;
  // @ts-expect-error: nothing was admitted
  inner().handler(async (_event, { reply: admitted }) => admitted());

  middy().use([httpSecurityHeaders()]).use(requestLog(operation));
  // @ts-expect-error: others stand around all of ours
  outer().use([httpSecurityHeaders()]);
  // @ts-expect-error: others stand around all of ours
  middy<OpenRequest>().use([httpSecurityHeaders()]);
  const keeping: core.MiddlewareObj<unknown, unknown, Error, Context, { parameter: string }> = {};
  middy().use([keeping]);
  // @ts-expect-error: in a list, too
  middy().use([authentication(verifier)]);
};
