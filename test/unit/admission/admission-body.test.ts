import { randomUUID } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { operation as putPlan } from '../../../functions/billing/put-plan.ts';
import { serve, serveCaller } from '../../../lib/handlers/http/serve.ts';
import { openTable } from '../../../lib/table/client.ts';
import { newApiKey } from '../../../lib/tokens/api-key.ts';
import type { Step } from '../../support/faults/step.ts';
import { limitOrganization, useUpLimit } from '../../support/limit.ts';
import { sign } from '../../support/tokens.ts';
import { echo, echoed } from '../echo.ts';
import { Organization, platformHeaders, type Request, run, withSteps } from '../support.ts';

// When the chain looks into a body: what is refused is not to pay for it.

const mostBytesAtOnce = 64 * 1024;

let organization: Organization;
beforeEach(async () => {
  organization = await Organization.make();
});

/** An operation that notes how often a body came as far as its schema. */
const looking = (change: Parameters<typeof echo>[0] = {}) => {
  const seen = { bodies: 0 };
  const note = () => {
    seen.bodies++;
    return true;
  };
  const body = z.strictObject({ value: z.any() }).check(z.refine(note));
  const request = { ...echo().request, body };
  return { seen, handler: serve(echo({ request, idempotent: false, ...change })) };
};

type Handler = ReturnType<typeof looking>['handler'];
const send = (handler: Handler, change: Request = {}) => run(handler, echoed(organization, change));

/** JSON of so many bytes. */
const bodyOf = (bytes: number, filling = ' '): string => {
  const [start, end] = ['{"value":"', '"}'];
  const rest = bytes - Buffer.byteLength(start + end);
  const characters = Math.floor(rest / Buffer.byteLength(filling));
  const text = filling.repeat(characters);
  return start + text + 'x'.repeat(rest - Buffer.byteLength(text)) + end;
};
const inBase64 = (body: string): Request => ({
  body: Buffer.from(body).toString('base64'),
  isBase64Encoded: true,
});
const large = { body: bodyOf(mostBytesAtOnce + 1) };
const small = { body: bodyOf(mostBytesAtOnce) };

/** As if so many requests had been counted at a limit of 50 a second. */
const counted = async (requests: number) => {
  await limitOrganization(openTable(), organization.id, 50);
  await useUpLimit(openTable(), organization.id, requests * 20);
};

/** The status of a request, how many bodies were looked at for it, and how many requests the table got. */
const watched = async (
  { seen, handler }: ReturnType<typeof looking>,
  work: (ask: (change?: Request) => Promise<[number, number, number]>) => Promise<void>,
): Promise<void> => {
  let requests = 0;
  const watching: Step = (_, pass) => {
    requests++;
    return pass();
  };
  await withSteps([watching], () =>
    work(async (change) => {
      const [bodiesBefore, requestsBefore] = [seen.bodies, requests];
      const { status } = await send(handler, change);
      return [status, seen.bodies - bodiesBefore, requests - requestsBefore];
    }),
  );
};

test('of a member whom the environment knows, a body of up to 64 KB is looked at beside the verdict, a larger one after it', async () => {
  await watched(looking(), async (ask) => {
    await ask();
    for (const filling of ['x', 'é', '🌟']) {
      const [most, more] = [mostBytesAtOnce, mostBytesAtOnce + 1];
      expect(await ask({ body: bodyOf(most, filling) })).toEqual([201, 1, 1]);
      expect(await ask({ body: bodyOf(more, filling) })).toEqual([201, 1, 2]);
      expect(await ask(inBase64(bodyOf(most, filling)))).toEqual([201, 1, 1]);
      expect(await ask(inBase64(bodyOf(more, filling)))).toEqual([201, 1, 2]);
    }
  });
});

test('of a member whom the environment knows, a large body is not looked at once the limit is reached, nor a small one once that is known', async () => {
  let reads = 0;
  const read = async () => {
    reads++;
  };
  await watched(looking({ read }), async (ask) => {
    await ask();
    await counted(2000);
    expect(await ask(large)).toEqual([429, 0, 1]);
    // Within a second, the next is refused without a look at the table.
    expect(await ask(small)).toEqual([429, 0, 0]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await ask(small)).toEqual([429, 0, 1]);
    expect(reads).toBe(1);
  });
  // Nor by an environment that does not know the member.
  const unknown = looking();
  expect([(await send(unknown.handler, large)).status, unknown.seen.bodies]).toEqual([429, 0]);
  await watched(looking(), async (ask) => {
    // Of an environment that does not know of the limit yet, a small one is: it keeps its one request.
    organization = await Organization.make();
    await ask();
    await counted(2000);
    expect(await ask(small)).toEqual([429, 1, 1]);
    expect(await ask(small)).toEqual([429, 0, 0]);
  });
});

test('of a stranger no body is looked at, however large', async () => {
  const { seen, handler } = looking();
  const headers = { Authorization: `Bearer ${await sign({ sub: randomUUID() })}` };
  for (const change of [small, large]) {
    const { status, log } = await send(handler, { ...change, headers });
    expect([status, log[0]?.line.capacity_units]).toEqual([403, 1]);
  }
  expect(seen.bodies).toBe(0);
  expect((await send(handler, large)).status).toBe(201);
});

test('of what only a platform key may do, no body is looked at without one', async () => {
  let looks = 0;
  const body = z.any().check(z.refine(() => ++looks > 0));
  const request = { ...putPlan.request, body };
  const handler = serveCaller({
    ...putPlan,
    request,
    handle: async () => ({ body: {} }),
  } as never);
  const statusWith = async (headers: object) => {
    const sent = { headers: { ...platformHeaders, ...headers }, path: { tier: 'a' }, ...large };
    return (await run(handler, sent)).status;
  };
  const unknown = newApiKey('platform', randomUUID()).text;
  expect(await statusWith({ Authorization: `Bearer ${organization.tokens.owner}` })).toBe(403);
  expect(await statusWith({ Authorization: `Bearer ${unknown}` })).toBe(401);
  expect(looks).toBe(0);
  expect([await statusWith({}), looks]).toEqual([201, 1]);
});

test('what is wrong with a large body is told after 403 and 429, as of a small one', async () => {
  const { handler } = looking();
  const wrong: Request[] = [
    { body: ' '.repeat(mostBytesAtOnce + 1) },
    { ...large, headers: { 'Content-Type': 'text/plain' } },
    { ...large, path: { other: 'a' } },
  ];
  const stranger = { Authorization: `Bearer ${await sign({ sub: randomUUID() })}` };
  const statuses = async (headers = {}) => {
    const all = [];
    for (const change of wrong) {
      const sent = { ...change, headers: { ...change.headers, ...headers } };
      all.push((await send(handler, sent)).status);
    }
    return all;
  };
  expect(await statuses()).toEqual([400, 415, 400]);
  await counted(2000);
  expect(await statuses()).toEqual([429, 429, 429]);
  expect(await statuses(stranger)).toEqual([403, 403, 403]);
});
