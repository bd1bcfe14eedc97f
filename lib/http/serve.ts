import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { answerBeforeTimeout, limitOf } from '../deadline.ts';
import type { AnyOperation } from '../operation.ts';
import { openTable, type TableClient } from '../table/client.ts';
import type { Grant } from '../table/grants.ts';
import { TokenVerifier } from '../tokens.ts';
import { authentication } from './authentication.ts';
import { jsonBody } from './body.ts';
import { envelope } from './envelope.ts';
import type { ChainContext, Exchange } from './exchange.ts';
import { membership } from './membership.ts';
import { validation } from './validation.ts';

/** What the chain itself does with the table: it reads the caller's membership. */
export const chainGrants = ['GetItem'] as const satisfies Grant[];

export type HttpHandler = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<APIGatewayProxyResult>;

/** Makes an operation's Lambda handler: the way of every request, outermost first. */
export const serve = (operation: AnyOperation): HttpHandler => {
  let opened: TableClient | undefined;
  const tableFor = (context: ChainContext) => {
    opened ??= openTable();
    context.exchange.table ??= opened.during(limitOf(context));
    return context.exchange.table;
  };
  const verifier = once(
    () =>
      new TokenVerifier({
        issuer: process.env.ISSUER ?? '',
        audience: process.env.AUDIENCE ?? '',
        jwksUri: process.env.JWKS_URI ?? '',
      }),
  );
  return middy({ timeoutEarlyInMillis: answerBeforeTimeout })
    .use(envelope(operation, () => opened?.takeCapacity() ?? 0))
    .use(authentication(verifier))
    .use(membership(tableFor, operation.permission))
    .use(operation.request.body ? jsonBody() : [])
    .use(validation(operation))
    .handler(run(operation, tableFor) as never) as unknown as HttpHandler;
};

const run =
  (operation: AnyOperation, tableFor: (context: ChainContext) => TableClient) =>
  async (_event: unknown, context: ChainContext) => {
    const { call, membership } = context.exchange as Required<Exchange>;
    const table = tableFor(context);
    const data = operation.read(call, table);
    // If the caller is refused, nobody awaits this.
    data.catch(() => {});
    const role = await membership;
    return operation.handle({ ...call, role }, await data, table);
  };

/** Made at the first request, so that the definition can be read where there is no environment. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
