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
 * A step of the chain: it gets what the steps before it made known, and makes more known. A step in front of one that it
 * needs does not compile.
 */
export type Step<Known, More> = (known: Known, request: HttpRequest) => More | Promise<More>;

/** The outermost step: opens a request, and answers it whatever happens in between. */
export interface Frame<First> {
  open: (request: HttpRequest) => First;
  /** `known` is what the steps made known before the answer. */
  answer: (known: First, reply: Reply) => APIGatewayProxyResult;
  answerError: (known: First, error: unknown) => APIGatewayProxyResult;
}

/** Steps, each typed by what it needs, as middy's middlewares. */
export class Chain<Known extends object> {
  readonly #middy: middy.MiddyfiedHandler;
  /** By the context of an invocation, since middy gives a handler no request. */
  readonly #known: WeakMap<Context, object>;

  private constructor(wrapped: middy.MiddyfiedHandler, known: WeakMap<Context, object>) {
    this.#middy = wrapped;
    this.#known = known;
  }

  static in<First extends object>({ open, answer, answerError }: Frame<First>): Chain<First> {
    const all = new WeakMap<Context, object>();
    const knownOf = ({ context }: { context: Context }) => all.get(context) as First;
    const wrapped = middy({ timeoutEarlyInMillis: replyBeforeTimeoutMs }).use({
      before: (request) => {
        all.set(request.context, open(request as HttpRequest));
      },
      after: (request) => {
        request.response = answer(knownOf(request), request.response as Reply);
      },
      // The first step to be attached is the last to see an error.
      onError: (request) => {
        request.response = answerError(knownOf(request), request.error);
      },
    });
    return new Chain<First>(wrapped, all);
  }

  use<More extends object>(step: Step<Known, More>): Chain<Known & More> {
    this.#middy.before(async (request) => {
      const known = this.#knownOf(request.context);
      Object.assign(known, await step(known, request as HttpRequest));
    });
    return new Chain<Known & More>(this.#middy, this.#known);
  }

  /** Makes the Lambda handler: `handle` replies once all steps are done. */
  handler(handle: (known: Known, event: HttpRequest['event']) => Promise<Reply>): HttpHandler {
    const handled = (event: HttpRequest['event'], context: Context) =>
      handle(this.#knownOf(context), event);
    return this.#middy.handler(handled as never) as unknown as HttpHandler;
  }

  #knownOf(context: Context): Known {
    return this.#known.get(context) as Known;
  }
}
