import { beforeAll, expect, test } from 'vitest';
import { type Answer, call } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { some } from '../../support/some.ts';

// The dearest text of each kind, as long as anything gets through. What takes longer than in proportion
// to its length would take minutes, and be answered 504.

let organization: Organization;
beforeAll(async () => {
  organization = await provision();
});

/** Of a body, Lambda takes 6 MB. Of a header or an address, the gateway takes 10 kB with all others. */
const [mostBody, mostHeader] = [5_900_000, 6_500];

/** What makes patterns and loops go back and forth. */
const repeated = (text: string, length: number): string =>
  text.repeat(Math.floor(length / text.length));

const texts: [name: string, of: (length: number) => string][] = [
  ['zeros and a one', (n) => `1.${repeated('0', n)}1`],
  ['dots', (n) => repeated('.', n)],
  ['letters and dots', (n) => `${repeated('a.', n)}!`],
  ['quotes', (n) => repeated('\\"', n)],
  ['at signs', (n) => repeated('"@', n).replaceAll('"', '\\"')],
  ['domains', (n) => `a@${repeated('a-', n)}!`],
  ['many domains', (n) => `a@${repeated('a.', n)}`],
  ['blanks', (n) => `x${repeated(' ', n)}x`],
  ['digits', (n) => `+${repeated('1', n)}x`],
  ['pairs of surrogates', (n) => repeated('\\ud83d\\ude00', n)],
  ['combining marks', (n) => `a${repeated('\u0301', n / 2)}`],
  ['a date with fractions', (n) => `2026-01-01T00:00:00.${repeated('0', n)}x`],
];

const refused = ({ status, text }: Answer): void => {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  // However long the input, what is said about it is short.
  expect(text.length).toBeLessThan(10_000);
};

const post = (path: string, body: string) => organization.post(path, body);

/** One of each kind. */
const fields = ['contact_name', 'pipeline_id', 'email', 'phone', 'external_id'];

test.each(texts)('a patch whose fields and tag are %s is refused in time', async (_name, of) => {
  const text = `"${of(mostBody / 6)}"`;
  const body = `{${fields.map((field) => `"${field}":${text},`).join('')}"tags":[${text}]}`;
  refused(await organization.patch(`/leads/${organization.pipelineId}`, body));
});

test.each(texts)(
  '%s as a tag, a name of a field, and a parameter are refused in time',
  { tags: ['long'] },
  async (_name, of) => {
    const text = of(mostBody);
    refused(await post('/leads', `{"tags":["${text}"]}`));
    refused(await post('/leads', `{"${text}":1}`));
    const short = encodeURIComponent(JSON.parse(`"${of(mostHeader / 3)}"`)).slice(0, mostHeader);
    const names = 'cursor limit pipeline_id stage owner_id created_from created_to';
    for (const name of names.split(' ')) {
      const { status } = await organization.get(`/leads?${name}=${cut(short)}`);
      expect(status, name).toBeLessThan(500);
    }
    refused(await organization.get(`/leads/${cut(short)}`));
  },
);

test.each(texts)('%s as each header are refused in time', async (_name, of) => {
  // What Node.js sends as a header is Latin-1.
  const text = JSON.parse(`"${of(mostHeader)}"`).replace(/[^\x20-\xff]/g, 'x');
  const path = `/leads/${organization.pipelineId}`;
  const names = 'content-type content-encoding idempotency-key if-match x-organization-id';
  for (const name of names.split(' ')) {
    const usual = { 'content-type': 'application/json', ...organization.headers() };
    refused(await call('PATCH', path, { headers: { ...usual, [name]: text }, body: '{}' }));
  }
  const dotted = text.replaceAll(/[ ,]/g, '.');
  for (const authorization of [text, `Bearer ${text}`, `Bearer ${dotted}`]) {
    const headers = { ...organization.headers(), authorization };
    expect((await call('GET', '/leads', { headers })).status).toBe(401);
  }
});

/** Not in the middle of an escape. */
const cut = (encoded: string): string => encoded.replace(/%[0-9A-F]?$/, '');

const bodies: [what: string, of: (n: number) => string][] = [
  ['a long fraction', (n) => `{"value_cents":1.${repeated('0', n)}1}`],
  ['a long integer', (n) => `{"value_cents":${repeated('1', n)}}`],
  ['a long integer with an exponent', (n) => `{"value_cents":1${repeated('0', n)}e-${n}}`],
  ['a long exponent', (n) => `{"value_cents":1e${repeated('1', n)}}`],
  ['many numbers', (n) => `{"tags":[${repeated('1.5,', n)}1]}`],
  ['many tags', (n) => `{"tags":[${repeated('"a",', n)}"a"]}`],
  ['many tags of their own', (n) => `{"tags":[${numbered(n / 10).join()}]}`],
  ['many fields', (n) => `{${numbered(n / 12).join(':1,')}:1}`],
  ['one field often', (n) => `{${repeated('"tags":1,', n)}"tags":1}`],
  [
    'objects after a name that is there twice',
    (n) => `{"a":1,"a":1,"tags":[${repeated('{},', n)}1]}`,
  ],
  ['arrays in arrays', (n) => `{"tags":${repeated('[', n / 2)}${repeated(']', n / 2)}}`],
  ['objects in objects', (n) => `${repeated('{"a":', n / 2)}1${repeated('}', n / 2)}`],
  ['what is no JSON', (n) => repeated('[{"', n)],
  ['escapes', (n) => `{"contact_name":"${repeated('\\u0041', n)}"}`],
  ['blanks between', (n) => `{${repeated(' \n', n)}"contact_name":1}`],
  ['blanks before', (n) => `${repeated('\t', n)}{}`],
  ['blanks behind', (n) => `{"contact_name":1}${repeated(' ', n)}`],
  ['blanks alone', (n) => repeated('\r\n', n)],
  ['blanks that JSON does not know', (n) => repeated('\u00a0', n / 2)],
  ['commas', (n) => repeated(',', n)],
  ['colons', (n) => `{"a"${repeated(':', n)}`],
  ['what closes nothing', (n) => repeated(']', n)],
  ['texts without commas', (n) => `[${repeated('""', n)}`],
  ['names that end in escapes', (n) => `{"${repeated('\\\\', n)}":1}`],
];

// In `npm test`, some by chance. As many names and values as may be: below.
test.each(some(bodies, 2, 'worst bodies'))(
  'a body with %s is refused in time',
  async (_name, of) => {
    refused(await post('/leads', of(mostBody)));
    refused(await post('/leads/batch', `{"leads":[${of(mostBody)}]}`.slice(0, mostBody)));
  },
);

test.each<[string, string, (n: number) => string]>([
  ['tags', '/leads', (n) => `{"tags":[${'1.5,'.repeat(n)}1]}`],
  ['fields', '/leads', (n) => `{"fields":{${numbered(n / 2).join(':1,')}:1}}`],
  ['leads', '/leads/batch', (n) => `{"leads":[${'1,'.repeat(n)}1]}`],
])(
  'as many %s as names and values may be in a body are refused one by one',
  async (_name, path, of) => {
    const answer = await post(path, of(49_990));
    refused(answer);
    expect(answer.body.error.details).not.toContainEqual({ path: '', message: expect.anything() });
  },
);

test('a body whose sender is no member is not looked at', async () => {
  const stranger = await provision();
  const headers = { ...stranger.headers(), 'x-organization-id': organization.id };
  const body = `{"value_cents":1.${repeated('0', mostBody)}1}`;
  const answer = await call('POST', '/leads', {
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  expect(answer.body.error.code).toBe('forbidden');
});

const numbered = (count: number): string[] =>
  Array.from({ length: Math.floor(count) }, (_, i) => `"${String(i).padStart(7, '0')}"`);

test('however much is wrong with a batch, it is answered, and so is its repeat', async () => {
  const lead = (n: number) =>
    Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [`${'\u0001'.repeat(90)}${n} ${i}`, 1]),
    );
  const body = { leads: Array.from({ length: 100 }, (_, i) => lead(i)) };
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = await organization.post('/leads/batch', body, { headers });
  const again = await organization.post('/leads/batch', body, { headers });
  const statuses = first.body.items.map(({ status }: { status: number }) => status);
  expect(statuses).toEqual(Array(100).fill(400));
  expect([again.status, again.body]).toEqual([200, first.body]);
});

test('control: what is in order is taken', async () => {
  expect((await organization.lead({ value_cents: 1 })).value_cents).toBe(1);
});
