import { beforeAll, expect, test } from 'vitest';
import { ApiError } from '../../../../lib/errors/errors.ts';
import type { HttpHandler } from '../../../../lib/handlers/http/middleware.ts';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import { replyBeforeTimeoutMs } from '../../../../lib/table/retry.ts';
import type { Step } from '../../../support/faults/step.ts';
import { echo, echoed } from '../../echo.ts';
import { Organization, run, withSteps } from '../../support.ts';

// What the chain answers when whoever it waits for does not.

let organization: Organization;

beforeAll(async () => {
  organization = await Organization.make();
});

/** The status of a request that has so many milliseconds beside those that replying has. */
const statusOf = async (handler: HttpHandler, milliseconds = 9500) =>
  (await run(handler, echoed(organization), replyBeforeTimeoutMs + milliseconds)).status;

/** The engine for so many requests; then one that takes them and never says anything. */
const fallingSilent = (requests: number, use: () => Promise<void>): Promise<void> => {
  let answered = 0;
  const step: Step = (_, pass) => (answered++ < requests ? pass() : new Promise(() => {}));
  return withSteps([step], use);
};

test('an operation that takes too long is a timeout while there is time left to say so', async () => {
  const slow = serve(
    echo({
      async handle() {
        await new Promise((resolve) => setTimeout(resolve, 400));
        return { body: {} };
      },
    }),
  );
  // Enough for the membership: what takes too long is the operation itself.
  expect(await statusOf(slow, 200)).toBe(504);
  expect(await statusOf(slow)).toBe(201);
});

test('a table that does not answer is a timeout, though the membership is never read', async () => {
  await fallingSilent(0, async () => {
    const answer = await run(serve(echo()), echoed(organization), replyBeforeTimeoutMs + 100);
    expect([answer.status, answer.body.error.code]).toEqual([504, 'timeout']);
    expect(answer.log[0]).toMatchObject({ level: 'error', line: { code: 'timeout' } });
  });
  expect(await statusOf(serve(echo()))).toBe(201);
});

test('a table that does not answer ends the operation’s own calls with it', async () => {
  let reading: Promise<unknown> | undefined;
  const operation = echo({
    read(_call, table) {
      reading = table.get({ pk: 'a', sk: 'b' });
      return reading;
    },
  });
  // The keys that are kept, which there are none of, and the membership.
  await fallingSilent(2, async () => {
    expect(await statusOf(serve(operation), 300)).toBe(504);
    const cause = expect.objectContaining({ name: 'AbortError' });
    await expect(reading).rejects.toMatchObject({ code: 'timeout', cause });
  });
});

test('nothing of a request goes on after its answer', async () => {
  let reading: Promise<unknown> | undefined;
  const operation = echo({
    handle(_call, _data, table) {
      reading = table.get({ pk: 'a', sk: 'b' });
      throw new ApiError('not_found');
    },
  });
  // The membership, the counter of requests, and what echo reads.
  await fallingSilent(3, async () => {
    expect(await statusOf(serve(operation))).toBe(404);
    await expect(reading).rejects.toMatchObject({ code: 'timeout' });
  });
});
