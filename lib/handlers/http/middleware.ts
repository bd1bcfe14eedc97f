import core from '@middy/core';
import type { APIGatewayProxyResult, Context, APIGatewayProxyEvent as Event } from 'aws-lambda';
import type { OpenRequest } from '../../admission/open-request.ts';

export type HttpHandler = (event: Event, context: Context) => Promise<APIGatewayProxyResult>;

// biome-ignore lint/suspicious/noExplicitAny: a reply, until the envelope makes a response of it; what others keep for themselves.
type Unchecked = any;
type Result = Unchecked;
type HookOf<Found> = (request: core.Request<Event, Result, Error, Context & Found>) => unknown;

/** A middy middleware that finds `Needed` on the context, and whose `before` adds `Added` to it. */
export interface Middleware<Needed extends object, Added extends object = object> {
  before?: HookOf<Needed & Partial<Added>>;
  after?: HookOf<Needed & Added>;
  /** Nothing is sure to be on the context: the error may have come before it was added. */
  onError?: HookOf<Partial<Needed & Added>>;
}

export type ForeignMiddleware = core.MiddlewareObj<Event, Result, Error, Context, Unchecked>;

/** A chain whose middlewares have added to the context what its handler needs. */
interface Complete<First extends object, Found extends First> {
  handler(
    handle: (event: Event, context: Context & Found) => Promise<Result>,
  ): (event: Event, context: Context & First) => Promise<Result>;
}

/**
 * A chain that takes a middleware only where those before it have added to the context what it needs. Within the middleware
 * that opens the request is only the handler: what waits stands in a chain there, which middy ends when the time is up.
 */
interface Ordered<First extends object, Found extends First> extends Complete<First, Found> {
  use<Added extends object>(
    middleware: Middleware<Found, Added>,
  ): Added extends OpenRequest ? Complete<First, Found & Added> : Ordered<First, Found & Added>;
}

/** The outermost chain, while it is empty: only there may a list of others' middlewares stand, around all of ours. */
interface Outermost extends Ordered<object, object> {
  use: Ordered<object, object>['use'] &
    ((others: readonly ForeignMiddleware[]) => Ordered<object, object>);
}

interface Middy {
  (options?: object): Outermost;
  <First extends object>(): Ordered<First, First>;
}
export const middy: Middy = core as never;
