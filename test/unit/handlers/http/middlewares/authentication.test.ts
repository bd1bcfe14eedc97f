import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { serve } from '../../../../../lib/handlers/http/serve.ts';
import { sign } from '../../../../support/tokens.ts';
import { echo, echoed } from '../../../echo.ts';
import { Organization, run, withVariable } from '../../../support.ts';

// How a header may have a token. Which tokens are taken: test/unit/tokens/attacks.test.ts.

const handler = serve(echo());
let organization: Organization;
let token: string;

beforeAll(async () => {
  organization = await Organization.make();
  token = organization.tokens.owner;
});

const authorized = (Authorization: string | string[], to = handler) =>
  run(to, echoed(organization, { headers: { Authorization } }));

test.each([
  ['as usual', (t: string) => `Bearer ${t}`],
  ['in upper case, with more blanks', (t: string) => `BEARER   ${t}`],
])('a bearer token %s is taken', async (_how, header) => {
  const { status, body } = await authorized(header(token));
  expect([status, body.userId]).toEqual([201, organization.users.owner]);
});

test.each<[string, (t: string) => string | string[]]>([
  ['is absent', () => []],
  ['is empty', () => ''],
  ['has no token', () => 'Bearer '],
  ['has no scheme', (t) => t],
  ['has another scheme', (t) => `Basic ${t}`],
  ['has something before the scheme', (t) => `xBearer ${t}`],
  ['has something after the token', (t) => `Bearer ${t} x`],
  ['has a second token after a comma', (t) => `Bearer ${t},x`],
  ['has no blank between', (t) => `Bearer${t}`],
  ['was sent twice', (t) => [`Bearer ${t}`, `Bearer ${t}`]],
  ['has a token of nobody', () => 'Bearer abc'],
])('401 where the header %s, and nothing was read', async (_what, header) => {
  const answer = await authorized(header(token));
  expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthenticated']);
  expect(answer.log[0]?.line).toMatchObject({
    user_id: undefined,
    organization_id: undefined,
    capacity_units: 0,
  });
});

test.each([
  ['“…”', (t: string) => `"${t}"`],
  ["'…'", (t: string) => `'${t}'`],
  ['<…>', (t: string) => `<${t}>`],
  ['{{…}}', (t: string) => `{{${t}}}`],
  ['$…', () => '$TOKEN'],
])('signs around a token, as %s, are told as such', async (_what, written) => {
  const { status, body } = await authorized(`Bearer ${written(token)}`);
  expect([status, body.error.details[0].message]).toEqual([
    401,
    expect.stringMatching(/^has a sign that no token has: /),
  ]);
  expect((await authorized(`Bearer ${token.slice(1)}`)).body.error.details[0].message).toMatch(
    /^must have an id_token/,
  );
});

test('the token is looked at before the organization, the organization before all else', async () => {
  const wrong = { 'X-Organization-Id': 'x', 'Content-Type': 'text/plain', 'If-Match': ['1', '2'] };
  const of = async (headers: Record<string, string | string[]>) => {
    const request = { ...echoed(organization, { headers }), path: null, body: '{' };
    const { error } = (await run(handler, request)).body;
    return error.details?.[0].path ?? error.code;
  };
  expect(await of({ ...wrong, Authorization: '' })).toBe('Authorization');
  expect(await of(wrong)).toBe('X-Organization-Id');
  const { id } = organization;
  expect(await of({ ...wrong, 'X-Organization-Id': id })).toBe('unsupported_media_type');
});

test.each(['ISSUER', 'AUDIENCE', 'JWKS_URI'])('without %s no token is taken', async (name) => {
  await withVariable(name, undefined, async () => {
    expect([401, 503]).toContain((await authorized(`Bearer ${token}`, serve(echo()))).status);
  });
  expect((await authorized(`Bearer ${token}`, serve(echo()))).status).toBe(201);
});

test('where the issuer’s keys can’t be had, it is 503, and without a token still 401', async () => {
  await withVariable('JWKS_URI', 'https://localhost:1/jwks.json', async () => {
    const away = serve(echo());
    expect((await authorized([], away)).status).toBe(401);
    // Also a moment later, when nobody asks the issuer again.
    for (const _ of [1, 2]) {
      const { status, log } = await authorized(`Bearer ${token}`, away);
      const message = expect.stringContaining('https://localhost:1/jwks.json');
      expect([status, log[0]?.line]).toMatchObject([
        503,
        { code: 'unavailable', cause: { message } },
      ]);
    }
  });
});

// What becomes of other subs: test/unit/tokens/issuer-keys.test.ts.
test('a user whose sub has the form of a UUID has this as the id, also with a variant that is none', async () => {
  for (const sub of [randomUUID().toUpperCase(), '24688438-40e1-70d0-d97e-084cfc8992c7']) {
    const { log } = await authorized(`Bearer ${await sign({ sub })}`);
    expect(log[0]?.line.user_id).toBe(sub.toLowerCase());
  }
});
