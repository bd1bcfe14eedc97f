import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Reply } from '../../operations/request.ts';
import { replyBeforeTimeoutMs } from '../../table/retry.ts';

export interface HttpRequest {
  event: APIGatewayProxyEvent;
  context: Context;
}

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

/** Steps, each typed by what it needs. */
export class Chain<First extends object, State extends First> {
  readonly #frame: Frame<First>;
  /** Takes the steps: they add to the first state itself. */
  readonly #take: (first: First, request: HttpRequest) => Promise<State>;

  private constructor(
    frame: Frame<First>,
    take: (first: First, request: HttpRequest) => Promise<State>,
  ) {
    this.#frame = frame;
    this.#take = take;
  }

  static in<First extends object>(frame: Frame<First>): Chain<First, First> {
    return new Chain(frame, async (first) => first);
  }

  use<Added extends object>(step: Step<State, Added>): Chain<First, State & Added> {
    return new Chain(this.#frame, async (first, request) => {
      const state = await this.#take(first, request);
      return Object.assign(state, await step(state, request));
    });
  }

  /** Makes the Lambda handler: `handle` replies once all steps are done. middy ends what takes too long. */
  handler(handle: (state: State, event: HttpRequest['event']) => Promise<Reply>): HttpHandler {
    const { open, respond, respondError } = this.#frame;
    return async (event, context) => {
      const first = open({ event, context });
      const work = async () => handle(await this.#take(first, { event, context }), event);
      const timed = middy<APIGatewayProxyEvent, Reply>(work, {
        timeoutEarlyInMillis: replyBeforeTimeoutMs,
      });
      try {
        return await respond(first, await timed(event, context));
      } catch (error) {
        return respondError(first, error);
      }
    };
  }
}
