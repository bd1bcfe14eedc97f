import type { RoutedOperation } from '../../operations/definition.ts';
import { replyOnce, replyToParts } from '../../operations/idempotency.ts';
import { isReplay, toIdempotentRequest } from '../../operations/idempotency-record.ts';
import type { AnyCallerOperation } from '../../operations/kinds/caller-operation.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import type { Reply } from '../../operations/request.ts';
import { openTable, type TableClient } from '../../table/client.ts';
import type { Grant } from '../../table/grants.ts';
import { readStoredKeys } from '../../tokens/stored-keys.ts';
import { TokenVerifier } from '../../tokens/verifier.ts';
import { Admission, type AdmittedRequest } from './admission/admission.ts';
import { CallerAdmission } from './admission/caller-admission.ts';
import { authentication } from './authentication.ts';
import { Chain, type HttpHandler } from './chain.ts';
import { envelope, withTable } from './envelope.ts';
import { organization } from './organization.ts';

/** What the chain itself does with the table: it reads who calls, counts requests, and records answers under keys. */
export const chainGrants = (operation: RoutedOperation): Grant[] => {
  const { idempotent } = operation;
  return [
    'GetItem',
    'UpdateItem REQUESTS#',
    ...(idempotent ? (['PutItem IDEMPOTENCY#'] as const) : []),
  ];
};

/** Makes an operation's Lambda handler: the steps of every request in an organization, outermost first. */
export const serve = (operation: AnyOperation): HttpHandler => {
  const { table, verifier } = openLazily();
  const admission = new Admission(operation);
  return Chain.in(envelope(operation))
    .use(authentication(verifier))
    .use(organization)
    .use(withTable(table))
    .handler(async (state, event) =>
      handle(operation, await admission.admit(state, event), state.table),
    );
};

/** Makes the Lambda handler of an operation in no organization. */
export const serveCaller = (operation: AnyCallerOperation): HttpHandler => {
  const { table, verifier } = openLazily();
  const admission = new CallerAdmission(operation);
  return Chain.in(envelope(operation))
    .use(authentication(verifier))
    .use(withTable(table))
    .handler(async (state, event) => {
      const { call, verdict, counting } = await admission.admit(state, event);
      try {
        const [reply] = await Promise.all([operation.handle(call, state.table), verdict]);
        return reply;
      } finally {
        await counting;
      }
    });
};

/**
 * The table and the verifier of a function. Lambda loads its code before there is a request: so the issuer's keys are
 * read meanwhile. Elsewhere definitions are loaded without the environment's variables, and all waits for a request.
 */
const openLazily = () => {
  const table = memoize(openTable);
  const verifier = memoize(() => openVerifier(table));
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) verifier().prepare();
  return { table, verifier };
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

/** Runs the operation, once under each idempotency key, while the request is being counted. */
export const handle = async (
  operation: AnyOperation,
  { call, idempotencyKey, json, data, counting }: AdmittedRequest,
  table: TableClient,
): Promise<Reply> => {
  const request = toIdempotentRequest(operation.id, call, idempotencyKey, json);
  // What the read refused is recorded under the key, as what the work refuses.
  const dataOf = () => {
    if ('error' in data) throw data.error;
    return data.value;
  };
  try {
    if (operation.parts) {
      return await replyToParts(
        table,
        call.origin,
        request,
        operation.parts(call),
        async (replies) => operation.handle(call, dataOf(), table, replies),
      );
    }
    const reply = await replyOnce(table, call.origin, request, async (commit) =>
      operation.handle(call, dataOf(), table, commit),
    );
    if (!operation.completeReplay || !isReplay(reply)) return reply;
    return await operation.completeReplay(call, reply, table);
  } finally {
    await counting;
  }
};
