import { answerOnce, answerParts, isReplay, keyUse } from '../../operations/idempotency.ts';
import type { AnyOperation, Reply } from '../../operations/operation.ts';
import { openTable, type TableClient } from '../../table/client.ts';
import type { Grant } from '../../table/grants.ts';
import { TokenVerifier } from '../../tokens/verifier.ts';
import { authentication, type Caller } from './authentication.ts';
import { jsonBody } from './body.ts';
import { Chain, type HttpHandler } from './chain.ts';
import { envelope, type Received } from './envelope.ts';
import { type Membership, membership } from './membership.ts';
import { type InOrganization, organization } from './organization.ts';
import { type Valid, validation } from './validation.ts';

/** What the chain itself does with the table: it reads memberships, and records answers under keys. */
export const chainGrants = ({ idempotent, parts }: AnyOperation): Grant[] => [
  'GetItem',
  ...(idempotent ? (['PutItem'] as const) : []),
  ...(idempotent && parts ? (['BatchGetItem'] as const) : []),
];

/** Makes an operation's Lambda handler: the way of every request, outermost first. */
export const serve = (operation: AnyOperation): HttpHandler => {
  const table = once(openTable);
  const verifier = once(
    () =>
      new TokenVerifier({
        issuer: process.env.ISSUER ?? '',
        audience: process.env.AUDIENCE ?? '',
        jwksUri: process.env.JWKS_URI ?? '',
      }),
  );
  const known = Chain.in(envelope(operation))
    .use(authentication(verifier))
    .use(organization(table))
    .use(membership(operation.permission));
  const valid = operation.request.body
    ? known.use(jsonBody()).use(validation(operation))
    : known.use(validation(operation));
  return valid.handler((all) => replyOf(operation, all));
};

type Known = Received & Caller & InOrganization & Membership & Valid;

/** Reads what the operation needs, for a member whom we know while the membership is still being read. */
const replyOf = async (
  operation: AnyOperation,
  { call, idempotencyKey, role, assertMember, table }: Known,
): Promise<Reply> => {
  const data: Promise<unknown> = operation.read?.(call, table) ?? Promise.resolve();
  // If the caller is refused, nobody awaits this.
  data.catch(() => {});
  const memberCall = { ...call, role: await role, assertMember };
  const use = keyUse(operation.id, call, idempotencyKey);
  const parts: readonly unknown[] | undefined = operation.parts?.(call);
  const handle = async (write: unknown) =>
    operation.handle(memberCall, await data, table, write as never);
  if (parts) return answerParts(table, use, parts, handle);
  const reply = await answerOnce(table, use, handle);
  if (!operation.replayed || !isReplay(reply)) return reply;
  return operation.replayed(memberCall, reply, table);
};

/** Made at the first request, so that the definition can be read where there is no environment. */
const once = <T extends TableClient | TokenVerifier>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
