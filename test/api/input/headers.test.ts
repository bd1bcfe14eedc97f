import { beforeAll, describe, expect, inject, test } from 'vitest';
import { routed } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { sendRaw } from '../../tools/dev/support.ts';
import { expectEnvelope, holdings, Prepared, sendHeaders } from './requests.ts';

// Headers and query strings that no honest client sends.

let organization: Organization;

beforeAll(async () => {
  organization = await provision();
});

// One way in reads all headers: a creation and a change under a condition stand for all.
const operations = ['createLead', 'updateLead'].map(
  (id) => routed.find((operation) => operation.id === id)!,
);

describe.each(operations)('$id', (operation) => {
  const once = ['X-Organization-Id', 'Authorization'];
  if (operation.request.body) once.push('Content-Type');
  if (operation.idempotent) once.push('Idempotency-Key');
  if (operation.takesIfMatch) once.push('If-Match');

  let prepared: Prepared;
  let before: Awaited<ReturnType<typeof holdings>>;

  beforeAll(async () => {
    prepared = await Prepared.of(operation, organization);
    before = await holdings(organization);
  });

  const send = (names: readonly string[]) => {
    const values = {
      'If-Match': '*',
      'Idempotency-Key': crypto.randomUUID(),
      ...prepared.headers,
    } as Record<string, string>;
    const others = Object.entries(prepared.headers).filter(([name]) => !once.includes(name));
    const named = names.map((name) => {
      const value = values[once.find((one) => one.toLowerCase() === name.toLowerCase()) ?? ''];
      return [name, value ?? ''] as const;
    });
    const body = prepared.body && JSON.stringify(prepared.body);
    return sendHeaders(operation.method, prepared.path, [...others, ...named], body);
  };

  test.each(once)('%s twice is refused, in any spelling', async (name) => {
    const others = once.filter((one) => one !== name);
    const spellings = [
      [name, name],
      [name, name.toLowerCase()],
      [name.toLowerCase(), name.toUpperCase()],
    ];
    for (const names of spellings) {
      const { status, body } = await send([...others, ...names]);
      expectEnvelope(status, body);
      expect([names, status]).toEqual([names, name === 'Authorization' ? 401 : 400]);
    }
  });

  test('after all of it nothing is written, and with each header once, in small letters, it is done', async () => {
    expect(await holdings(organization)).toEqual(before);
    const { status } = await send(once.map((name) => name.toLowerCase()));
    expect(status).toBe(operation.response.status);
  });
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

test('after all of it, a list with what is in order is answered', async () => {
  for (const query of ['limit=1', 'stage=a%00', 'tag=%EF%BF%BD']) {
    const { status, body } = await organization.get(`/leads?${query}`);
    expect([query, status]).toEqual([query, 200]);
    if (!query.startsWith('limit')) expect(body.items).toEqual([]);
  }
});

describe('headers', () => {
  const port = Number(new URL(inject('service').baseUrl).port);
  const get = async (lines: string[]) => {
    const all = Object.entries(organization.headers()).map(([name, value]) => `${name}: ${value}`);
    const head = ['GET /v1/leads HTTP/1.1', 'Host: localhost', 'Connection: close'];
    const text = [...head, ...all, ...lines].join('\r\n');
    const { status, json } = await sendRaw(port, `${text}\r\n\r\n`);
    if (status !== 200) expectEnvelope(status, json());
    return status;
  };
  const many = (n: number) => Array.from({ length: n }, (_, i) => `x-${i}: 1`);

  test.each<[string, string[]]>([
    ['10,000 of one name', Array<string>(10_000).fill('x: 1')],
    ['one of 20 KB', [`x: ${'x'.repeat(20_000)}`]],
    ['one with a NUL', ['x: a\0b']],
  ])('%s: an error in its envelope', async (_what, lines) => {
    expect(await get(lines)).toBe(400);
  });

  test('as many as fit are taken, with Latin-1 and names of prototypes', async () => {
    const names = ['__proto__: 1', 'constructor: 1', 'toString: 1'];
    expect(await get([...many(500), 'x: \u00e9\u00ff', ...names])).toBe(200);
  });
});
