import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import { errorBody } from '../../../lib/errors/error-body.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { sendRaw } from '../../tools/dev/support.ts';

// Headers and query strings that no honest client sends.

const { baseUrl } = inject('service');
let organization: Organization;
beforeAll(async () => {
  organization = await provision();
});

/** Patches a lead, with headers just as they are spelled, doubles included. */
const patch = async (id: string, headers: readonly (readonly [string, string])[]) => {
  const url = new URL(`${baseUrl}/leads/${id}`);
  const body = '{"contact_name":"Changed"}';
  const lines = [['Host', url.host], ['Content-Length', String(body.length)], ...headers];
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const outgoing = request(url, { method: 'PATCH', headers: lines.flat() }, async (incoming) =>
      resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(await text(incoming)) }),
    );
    outgoing.on('error', reject).end(body);
  });
};

// One way in reads all headers: a change under a condition and a key has each of them.
test('a header that is there twice is refused, in any spelling; with each once, in small letters, it is done', async () => {
  const lead = await organization.lead();
  const { authorization = '' } = organization.headers();
  const once = {
    Authorization: authorization,
    'X-Organization-Id': organization.id,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
    'If-Match': '*',
  };
  for (const [name, value] of Object.entries(once)) {
    const others = Object.entries(once).filter(([other]) => other !== name);
    for (const names of [
      [name, name],
      [name, name.toLowerCase()],
      [name.toLowerCase(), name.toUpperCase()],
    ]) {
      const twice = names.map((spelled) => [spelled, value] as const);
      const { status, body } = await patch(lead.id, [...others, ...twice]);
      expect([names, status]).toEqual([names, name === 'Authorization' ? 401 : 400]);
      expect(z.safeParse(errorBody, body).success).toBe(true);
    }
  }
  expect((await organization.get(`/leads/${lead.id}`)).body).toEqual(lead);
  const small = Object.entries(once).map(([name, value]) => [name.toLowerCase(), value] as const);
  expect((await patch(lead.id, small)).status).toBe(200);
});

test.each([
  '__proto__=1',
  '__proto__[polluted]=1',
  'constructor.prototype.polluted=1',
  'toString=1',
  'length=1',
  '%=1',
  '%zz=%zz',
  '%c3%28=1',
  '%ud800=1',
  '=1',
  '[]=1',
  '%00=1',
  `${'x'.repeat(5000)}=1`,
  'limit=%zz',
  'limit=%',
  'cursor=%e0%a4',
  'tag=%',
  'tag=%ff',
  'stage=%ed%a0%80',
  'stage=%00',
])('a list with %s is refused, and changes no prototype', async (query) => {
  expect((await organization.get(`/leads?${query}`)).status).toBe(400);
});

test.each(['%', '%zz', '%00', '%ff', '..%2f', '%ed%a0%80', '__proto__', 'x'.repeat(5000)])(
  'a path with %s is refused',
  async (id) => {
    for (const path of [`/leads/${id}`, `/pipelines/${id}/summary`]) {
      expect([400, 404]).toContain((await organization.get(path)).status);
    }
  },
);

test.each(['limit=1', 'stage=a%00', 'tag=%EF%BF%BD'])(
  'a list with %s, which is in order, is answered',
  async (query) => {
    expect((await organization.get(`/leads?${query}`)).status).toBe(200);
  },
);

test.each<[string, string[], number]>([
  ['10,000 of one name', Array<string>(10_000).fill('x: 1'), 400],
  ['one of 20 KB', [`x: ${'x'.repeat(20_000)}`], 400],
  ['one with a NUL', ['x: a\0b'], 400],
  ['as many as fit', Array.from({ length: 500 }, (_, i) => `x-${i}: 1`), 200],
  ['Latin-1 and names of prototypes', ['x: \u00e9\u00ff', '__proto__: 1', 'toString: 1'], 200],
])('a request is answered well, whatever its headers are: %s', async (_what, lines, expected) => {
  const own = Object.entries(organization.headers()).map(([name, value]) => `${name}: ${value}`);
  const head = ['GET /v1/leads HTTP/1.1', 'Host: localhost', 'Connection: close'];
  const request = `${[...head, ...own, ...lines].join('\r\n')}\r\n\r\n`;
  const { status, json } = await sendRaw(Number(new URL(baseUrl).port), request);
  expect(status).toBe(expected);
  if (status !== 200) expect(z.safeParse(errorBody, json()).success).toBe(true);
});
