import { beforeAll, describe, expect, inject, test } from 'vitest';
import { call, routed } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { sendRaw } from '../../tools/dev/support.ts';
import { expectEnvelope, holdings, Prepared, sendHeaders } from './requests.ts';

// Headers and query strings that no honest client sends.

let organization: Organization;

beforeAll(async () => {
  organization = await provision();
});

const unknownQueries = [
  '__proto__=1',
  '__proto__[polluted]=1',
  'constructor=1',
  'constructor.prototype.polluted=1',
  'prototype=1',
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
];

// One way in reads all headers: a creation under a key, a condition, and a list stand for all.
const operations = ['createLead', 'updateLead', 'listLeads'].map(
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

  test('a query that no operation knows is refused, and changes no prototype', async () => {
    const separator = prepared.path.includes('?') ? '&' : '?';
    for (const query of unknownQueries) {
      const { status } = await prepared.send(undefined, `${separator}${query}`);
      expect([query, status]).toEqual([query, 400]);
    }
  });

  test('after all of it nothing is written, and with each header once, in small letters, it is done', async () => {
    expect(await holdings(organization)).toEqual(before);
    const { status } = await send(once.map((name) => name.toLowerCase()));
    expect(status).toBe(operation.response.status);
  });
});

test.each([
  ['limit=%zz', 400],
  ['limit=%', 400],
  ['cursor=%e0%a4', 400],
  ['tag=%', 400],
  ['tag=%ff', 400],
  ['stage=%ed%a0%80', 400],
  ['stage=%00', 400],
  ['stage=a%00', 200],
  ['tag=%EF%BF%BD', 200],
  ['limit=1&limit=1', 400],
  ['limit=1e1', 400],
])('a list with %s is answered with %i', async (query, expected) => {
  const { status, body } = await organization.get(`/leads?${query}`);
  expect(status).toBe(expected);
  if (status === 200) expect(body.items).toEqual([]);
  expect((await organization.get('/leads?limit=1')).status).toBe(200);
});

test.each([
  '%',
  '%zz',
  '%00',
  '%ff',
  '..%2f',
  '%ed%a0%80',
  '__proto__',
  'constructor',
  'x'.repeat(5000),
])('a path with %s is refused', async (id) => {
  for (const path of [`/leads/${id}`, `/leads/${id}/history`, `/pipelines/${id}/summary`]) {
    const answer = await call('GET', path, { headers: organization.headers() });
    expect([400, 404]).toContain(answer.status);
  }
  expect((await organization.get('/leads')).status).toBe(200);
});

describe('more headers than the gateway takes', () => {
  const port = Number(new URL(inject('service').baseUrl).port);
  const get = async (lines: string[]) => {
    const all = Object.entries(organization.headers()).map(([name, value]) => `${name}: ${value}`);
    const head = [
      'GET /v1/leads HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      ...all,
      ...lines,
    ];
    const { status, json } = await sendRaw(port, `${head.join('\r\n')}\r\n\r\n`);
    if (status !== 200) expectEnvelope(status, json());
    return status;
  };
  const many = (n: number, value = '1') => Array.from({ length: n }, (_, i) => `x-${i}: ${value}`);

  test.each<[string, () => string[]]>([
    ['10,000 of them', () => many(10_000)],
    ['10,000 of one name', () => Array<string>(10_000).fill('x: 1')],
    ['10,000 authorizations', () => Array<string>(10_000).fill('Authorization: Bearer x')],
    ['one of 20 KB', () => many(1, 'x'.repeat(20_000))],
    ['one with a name of 20 KB', () => [`${'x'.repeat(20_000)}: 1`]],
    ['one of 5 MB', () => many(1, 'x'.repeat(5_000_000))],
    ['with a NUL', () => ['x: a\0b']],
    ['with a blank in the name', () => ['x y: 1']],
    ['two lengths', () => ['Content-Length: 1', 'Content-Length: 2']],
    ['a length and chunks', () => ['Content-Length: 5', 'Transfer-Encoding: chunked']],
  ])('%s: an error in its envelope', async (_what, lines) => {
    expect(await get(lines())).toBe(400);
    expect(await get([])).toBe(200);
  });

  test('as many as fit are taken, and Latin-1 with them', async () => {
    expect(await get(many(500))).toBe(200);
    expect(await get(['x: \u00e9\u00ff'])).toBe(200);
    expect(await get(['__proto__: 1', 'constructor: 1', 'toString: 1'])).toBe(200);
  });
});
