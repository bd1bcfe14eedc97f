import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { type Middleware, middy } from '../../../../lib/handlers/http/middleware.ts';
import { replyBeforeTimeoutMs } from '../../../../lib/table/retry.ts';

interface First {
  first: string;
}
interface Second {
  second: string;
}

const found = (context: Partial<First & Second>) => [context.first, context.second];

/** Answers what is on the context, and the reply or the name of the error. */
const envelope: Middleware<object, First> = {
  before: ({ event, context }) => void Object.assign(context, { first: event.path }),
  after: (request) => {
    request.response = { statusCode: 200, body: [...found(request.context), request.response] };
  },
  onError: (request) => {
    const name = request.error instanceof Error && request.error.name;
    request.response = { statusCode: 500, body: [...found(request.context), name] };
  },
};

const lasting = (milliseconds: number): Middleware<First, Second> => ({
  before: async ({ context }) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    Object.assign(context, { second: `${context.first} then` });
  },
});

/** The answer to a request that has so many milliseconds beside those that replying has. */
const answered = async (stepMs: number, milliseconds: number) => {
  const end = Date.now() + replyBeforeTimeoutMs + milliseconds;
  const context = { getRemainingTimeInMillis: () => end - Date.now() } as Context;
  const handler = middy({ timeoutEarlyInMillis: replyBeforeTimeoutMs })
    .use(envelope)
    .handler(
      middy<First>()
        .use(lasting(stepMs))
        .handler(async (_event, { first, second }) => `${first}, ${second}`),
    );
  return handler({ path: 'a' } as APIGatewayProxyEvent, context);
};

test('a middleware finds what those before it added, and so do the handler and the outer ones after it', async () => {
  const body = ['a', 'a then', 'a, a then'];
  expect(await answered(0, 20_000)).toEqual({ statusCode: 200, body });
});

test('an inner middleware that takes too long is a timeout, as the work is', async () => {
  const body = ['a', undefined, 'TimeoutError'];
  expect(await answered(20_000, 50)).toEqual({ statusCode: 500, body });
});
