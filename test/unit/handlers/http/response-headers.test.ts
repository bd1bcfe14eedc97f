import { expect, test } from 'vitest';
import { corsHeaders } from '../../../../lib/handlers/http/response-headers.ts';
import { withVariable } from '../../support.ts';

const [one, other] = ['https://a.example', 'https://b.example'];
const configured = `${one},${other}`;
const exposed = 'X-Request-Id,ETag,Retry-After,Idempotency-Replayed,RateLimit-Policy,RateLimit';
const forNoOther = { Vary: 'Origin' };
const allowing = (origin: string) => ({
  ...forNoOther,
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': exposed,
});

// That answers have them: test/api/requests/cors.test.ts.
test.each<[string | undefined, string | undefined, object]>([
  [one, configured, allowing(one)],
  [other, configured, allowing(other)],
  [undefined, configured, forNoOther],
  ['https://c.example', configured, forNoOther],
  ['https://a.example.c.example', configured, forNoOther],
  ['null', configured, forNoOther],
  [one, undefined, {}],
])('a page of %s, where %s may read answers, is told so', async (origin, allowed, expected) => {
  await withVariable('CORS_ORIGINS', allowed, async () => {
    expect(corsHeaders(origin)).toEqual(expected);
  });
});
