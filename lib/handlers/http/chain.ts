import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Reply } from '../../operations/operation.ts';
import { answerBeforeTimeout } from '../deadline.ts';

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
 * A step of the chain: it gets what the steps before it made known, and makes more known. Its functions are
 * properties, so that a step in front of one that it needs does not compile.
 */
export interface Step<Known, More> {
  before: (known: Known, request: HttpRequest) => More | Promise<More>;
  /** The error to answer where this or a later step threw one. */
  onError?: (known: Known & Partial<More>, error: unknown) => Promise<unknown>;
}

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
    const wrapped = middy({ timeoutEarlyInMillis: answerBeforeTimeout }).use({
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

  use<More extends object>({ before, onError }: Step<Known, More>): Chain<Known & More> {
    const knownOf = ({ context }: { context: Context }) => this.#known.get(context) as Known;
    this.#middy.use({
      before: async (request) => {
        Object.assign(knownOf(request), await before(knownOf(request), request as HttpRequest));
      },
      ...(onError && {
        onError: async (request) => {
          const known = knownOf(request) as Known & Partial<More>;
          request.error = (await onError(known, request.error)) as Error;
        },
      }),
    });
    return new Chain<Known & More>(this.#middy, this.#known);
  }

  /** Makes the Lambda handler: `handle` replies once all steps are done. */
  handler(handle: (known: Known) => Promise<Reply>): HttpHandler {
    const handled = (_event: unknown, context: Context) =>
      handle(this.#known.get(context) as Known);
    return this.#middy.handler(handled as never) as unknown as HttpHandler;
  }
}
