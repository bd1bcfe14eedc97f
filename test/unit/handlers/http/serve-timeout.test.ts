import { beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../../../lib/errors/errors.ts';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import { replyBeforeTimeoutMs } from '../../../../lib/table/deadline.ts';
import type { Step } from '../../../support/faults/step.ts';
import { echo, echoed } from '../../echo.ts';
import { type Answer, Organization, run, withSteps, withTableAt } from '../../support.ts';

// What the chain answers when whoever it waits for does not.

let organization: Organization;

beforeAll(async () => {
  organization = await Organization.make();
});

const codeOf = ({ body }: Answer): string | undefined => body?.error?.code;

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
  const late = await run(slow, echoed(organization), replyBeforeTimeoutMs + 200);
  expect([late.status, codeOf(late)]).toEqual([504, 'timeout']);
  expect((await run(slow, echoed(organization))).status).toBe(201);
});

describe('a table that does not answer', () => {
  const silent = (use: () => Promise<void>) => fallingSilent(0, use);

  test('is a timeout, though the membership is never read', async () => {
    await silent(async () => {
      const late = serve(echo());
      const answer = await run(late, echoed(organization), replyBeforeTimeoutMs + 100);
      expect([answer.status, codeOf(answer)]).toEqual([504, 'timeout']);
      expect(answer.log[0]).toMatchObject({ level: 'error', line: { code: 'timeout' } });
    });
    expect((await run(serve(echo()), echoed(organization))).status).toBe(201);
  });

  test('is a timeout also for a request that is wrong, until it is known whose it is', async () => {
    await silent(async () => {
      const wrong = serve(echo());
      const request = echoed(organization, { body: '{' });
      expect(codeOf(await run(wrong, request, replyBeforeTimeoutMs + 100))).toBe('timeout');
    });
    const { status } = await run(serve(echo()), echoed(organization, { body: '{' }));
    expect(status).toBe(400);
  });

  test('ends the operation’s own calls with it', async () => {
    let reading: Promise<unknown> | undefined;
    const operation = echo({
      read(_call, table) {
        reading = table.get({ pk: 'a', sk: 'b' });
        return reading;
      },
    });
    // The keys that are kept, which there are none of, and the membership.
    await fallingSilent(2, async () => {
      const late = serve(operation);
      expect((await run(late, echoed(organization), replyBeforeTimeoutMs + 300)).status).toBe(504);
      const cause = expect.objectContaining({ name: 'AbortError' });
      await expect(reading).rejects.toMatchObject({ code: 'timeout', cause });
    });
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
    const leaving = serve(operation);
    expect((await run(leaving, echoed(organization))).status).toBe(404);
    await expect(reading).rejects.toMatchObject({ code: 'timeout' });
  });
});

test('a membership that can’t be read is unavailable, whatever else is wrong', async () => {
  await withTableAt('http://127.0.0.1:1', async () => {
    const without = serve(echo());
    const request = echoed(organization, { body: '{' });
    expect(codeOf(await run(without, request))).toBe('unavailable');
  });
});
