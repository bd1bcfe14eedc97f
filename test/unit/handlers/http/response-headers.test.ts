import { beforeAll, expect, test } from 'vitest';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import { echo, echoed } from '../../echo.ts';
import { Organization, run, withVariable } from '../../support.ts';

let organization: Organization;

beforeAll(async () => {
  organization = await Organization.make();
});

const origins = ['https://a.example', 'https://b.example'];

/** What a page of this origin is told of its answer. */
const toldTo = async (origin: string | undefined, allowed: string | undefined) => {
  let told: Record<string, unknown> = {};
  await withVariable('CORS_ORIGINS', allowed, async () => {
    const { headers } = echoed(organization);
    const sent = { headers: { ...headers, ...(origin && { Origin: origin }) } };
    const answer = await run(serve(echo()), echoed(organization, sent));
    expect(answer.status).toBe(201);
    told = answer.headers;
  });
  return [told.Vary, told['Access-Control-Allow-Origin'], told['Access-Control-Expose-Headers']];
};

const exposed = 'X-Request-Id,ETag,Retry-After,Idempotency-Replayed,RateLimit-Policy,RateLimit';

test.each(origins)('a page of %s, which is configured, may read the answer', async (origin) => {
  expect(await toldTo(origin, origins.join())).toEqual(['Origin', origin, exposed]);
});

test.each([undefined, 'https://c.example', 'https://a.example.c.example', 'null'])(
  'a page of %s may not, and the answer is for no other',
  async (origin) => {
    expect(await toldTo(origin, origins.join())).toEqual(['Origin', undefined, undefined]);
  },
);

test('where no origins are configured, there is nothing to tell', async () => {
  expect(await toldTo(origins[0], undefined)).toEqual([undefined, undefined, undefined]);
});
