import core from '@middy/core';
import type { APIGatewayProxyResult, Context, APIGatewayProxyEvent as Event } from 'aws-lambda';

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

/** middy, which takes a middleware only where those before it have added to the context what it needs. */
interface Ordered<First extends object, Found extends First> {
  use<Added extends object>(middleware: Middleware<Found, Added>): Ordered<First, Found & Added>;
  use(middlewares: readonly ForeignMiddleware[]): Ordered<First, Found>;
  handler(
    handle: (event: Event, context: Context & Found) => Promise<Result>,
  ): (event: Event, context: Context & First) => Promise<Result>;
}
export const middy: <First extends object>(options?: object) => Ordered<First, First> =
  core as never;
