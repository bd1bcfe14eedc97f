import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { Chain, type Frame } from '../../../../lib/handlers/http/chain.ts';
import { replyBeforeTimeoutMs } from '../../../../lib/table/retry.ts';

/** Answers what the steps made, or the name of the error. */
const frame: Frame<{ first: string; second?: string }> = {
  open: ({ event }) => ({ first: event.path }),
  respond: async (state, { body }) => ({ statusCode: 200, body: JSON.stringify([state, body]) }),
  respondError: async (state, error) => ({
    statusCode: 500,
    body: JSON.stringify([state, error instanceof Error && error.name]),
  }),
};

/** A handler whose one step takes so long. */
const handlerAfter = (stepMs: number) =>
  Chain.in(frame)
    .use(async ({ first }) => {
      await new Promise((resolve) => setTimeout(resolve, stepMs));
      return { second: `${first} then` };
    })
    .handler(async ({ first, second }) => ({ body: `${first}, ${second}` }));

/** The answer to a request that has so many milliseconds beside those that replying has. */
const answered = async (stepMs: number, milliseconds: number) => {
  const end = Date.now() + replyBeforeTimeoutMs + milliseconds;
  const context = { getRemainingTimeInMillis: () => end - Date.now() } as Context;
  const event = { path: 'a' } as APIGatewayProxyEvent;
  const { statusCode, body } = await handlerAfter(stepMs)(event, context);
  return [statusCode, ...JSON.parse(body)];
};

test('a step gets what those before it made, and so does whoever responds', async () => {
  const state = { first: 'a', second: 'a then' };
  expect(await answered(0, 20_000)).toEqual([200, state, 'a, a then']);
});

test('a step that takes too long is a timeout, as the work is', async () => {
  expect(await answered(20_000, 50)).toEqual([500, { first: 'a' }, 'TimeoutError']);
});
