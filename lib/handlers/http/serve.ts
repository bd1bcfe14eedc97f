import { answerOnce, answerParts, isReplay, keyUse } from '../../operations/idempotency.ts';
import type {
  AnyOperation,
  AnyUserOperation,
  Reply,
  RoutedOperation,
} from '../../operations/operation.ts';
import { weightOf } from '../../organizations/request-limit.ts';
import { openTable, type TableClient } from '../../table/client.ts';
import type { Grant } from '../../table/grants.ts';
import { readKeptKeys } from '../../tokens/kept-keys.ts';
import { TokenVerifier } from '../../tokens/verifier.ts';
import { authentication } from './authentication.ts';
import { jsonBody, type Parsed } from './body.ts';
import { Chain, type HttpHandler } from './chain.ts';
import { envelope } from './envelope.ts';
import { type Membership, membership } from './membership.ts';
import { organization } from './organization.ts';
import { admission, type RequestLimit, requestLimit } from './request-limit.ts';
import { type WithTable, withTable } from './table.ts';
import { userValidation, type Valid, validation } from './validation.ts';

/** What the chain itself does with the table: it reads the issuer's keys and memberships, and records answers under keys. */
export const chainGrants = (operation: RoutedOperation): Grant[] => {
  const { idempotent } = operation;
  return ['GetItem', ...(idempotent ? (['PutItem'] as const) : [])];
};

/** Makes an operation's Lambda handler: the steps of every request in an organization, outermost first. */
export const serve = (operation: AnyOperation): HttpHandler => {
  const { table, verifier } = opening();
  const known = Chain.in(envelope(operation))
    .use(authentication(verifier))
    .use(organization())
    .use(withTable(table))
    .use(membership(operation.permission))
    .use(requestLimit())
    .use(admission());
  const valid = operation.request.body
    ? known.use(jsonBody()).use(validation(operation))
    : known.use(validation(operation));
  return valid.handler((all) => replyOf(operation, all));
};

/** The same without an organization: nothing is asked of the caller but a valid token. */
export const serveUser = (operation: AnyUserOperation): HttpHandler => {
  const { table, verifier } = opening();
  return Chain.in(envelope(operation))
    .use(authentication(verifier))
    .use(withTable(table))
    .use(userValidation(operation))
    .handler((all) => operation.handle(all.call, all.table));
};

/**
 * The table and the verifier of a function. Lambda loads its code before there is a request: so the issuer's keys are
 * read meanwhile. Elsewhere definitions are loaded without the environment's variables, and all waits for a request.
 */
const opening = () => {
  const table = once(openTable);
  const verifier = once(() => openVerifier(table));
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) verifier().prepare();
  return { table, verifier };
};

const openVerifier = (table: () => TableClient): TokenVerifier => {
  const { ISSUER: issuer = '', AUDIENCE: audience = '', JWKS_URI: jwksUri = '' } = process.env;
  const readKept = async () => readKeptKeys(table(), jwksUri);
  return new TokenVerifier({ issuer, audience, jwksUri }, readKept);
};

const once = <T extends TableClient | TokenVerifier>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

type Known = Membership &
  Valid &
  WithTable &
  Partial<Parsed> & { limit: Pick<RequestLimit, 'admitted' | 'count'> };

/** Runs the operation. For a member whom we know, it reads while the membership is still being read. */
export const replyOf = async (
  operation: AnyOperation,
  { call, idempotencyKey, json, role, assertMember, limit, table }: Known,
): Promise<Reply> => {
  const data: Promise<unknown> = operation.read?.(call, table) ?? Promise.resolve();
  // If the caller is refused, nobody awaits this.
  data.catch(() => {});
  const memberCall = { ...call, role: await role, assertMember };
  await limit.admitted;
  const use = keyUse(operation.id, call, idempotencyKey, json);
  const parts: readonly unknown[] | undefined = operation.parts?.(call);
  const counted = limit.count(weightOf(parts?.length ?? 0));
  const handle = async (write: unknown) =>
    operation.handle(memberCall, await data, table, write as never);
  const answer = async (): Promise<Reply> => {
    if (parts) return answerParts(table, use, parts, handle);
    const reply = await answerOnce(table, use, handle);
    if (!operation.replayed || !isReplay(reply)) return reply;
    return operation.replayed(memberCall, reply, table);
  };
  const reply = await answer();
  await counted;
  return reply;
};
