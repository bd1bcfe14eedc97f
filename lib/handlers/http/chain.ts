import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Reply } from '../../operations/request.ts';
import { replyBeforeTimeoutMs } from '../../table/deadline.ts';

export type HttpRequest = middy.Request<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  Error,
  Context
>;

export type HttpHandler = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<APIGatewayProxyResult>;

/**
 * A step of the chain: it gets the state that the steps before it made, and adds to it. A step in front of one that it
 * needs does not compile.
 */
export type Step<State, Added> = (state: State, request: HttpRequest) => Added | Promise<Added>;

/** The outermost step: opens a request, and responds whatever happens in between. */
export interface Frame<First> {
  open: (request: HttpRequest) => First;
  /** `state` is what the steps made until then. */
  respond: (state: First, reply: Reply) => Promise<APIGatewayProxyResult>;
  respondError: (state: First, error: unknown) => Promise<APIGatewayProxyResult>;
}

/** Steps, each typed by what it needs, as middy's middlewares. */
export class Chain<State extends object> {
  readonly #middy: middy.MiddyfiedHandler;
  /** States by the context of an invocation, since middy gives a handler no request. */
  readonly #states: WeakMap<Context, object>;

  private constructor(wrapped: middy.MiddyfiedHandler, states: WeakMap<Context, object>) {
    this.#middy = wrapped;
    this.#states = states;
  }

  static in<First extends object>({ open, respond, respondError }: Frame<First>): Chain<First> {
    const states = new WeakMap<Context, object>();
    const stateOf = ({ context }: { context: Context }) => states.get(context) as First;
    const wrapped = middy({ timeoutEarlyInMillis: replyBeforeTimeoutMs }).use({
      before: (request) => {
        states.set(request.context, open(request as HttpRequest));
      },
      after: async (request) => {
        request.response = await respond(stateOf(request), request.response as Reply);
      },
      // The first step to be attached is the last to see an error.
      onError: async (request) => {
        request.response = await respondError(stateOf(request), request.error);
      },
    });
    return new Chain<First>(wrapped, states);
  }

  use<Added extends object>(step: Step<State, Added>): Chain<State & Added> {
    this.#middy.before(async (request) => {
      const state = this.#stateOf(request.context);
      Object.assign(state, await step(state, request as HttpRequest));
    });
    return new Chain<State & Added>(this.#middy, this.#states);
  }

  /** Makes the Lambda handler: `handle` replies once all steps are done. */
  handler(handle: (state: State, event: HttpRequest['event']) => Promise<Reply>): HttpHandler {
    const handled = (event: HttpRequest['event'], context: Context) =>
      handle(this.#stateOf(context), event);
    return this.#middy.handler(handled as never) as unknown as HttpHandler;
  }

  #stateOf(context: Context): State {
    return this.#states.get(context) as State;
  }
}
