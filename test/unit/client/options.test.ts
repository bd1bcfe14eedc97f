import { expect, test } from 'vitest';
import {
  type ChangesOptions,
  createClient,
  type OrganizationClientOptions,
} from '../../../packages/client/src/index.ts';

const id = '0b861954-ed91-4e84-8458-6e46c6a6d30c';
const longestTimerMs = 2_147_483_647;
const asked: string[] = [];
const right: OrganizationClientOptions = {
  baseUrl: 'http://service.test/v1',
  organizationId: id,
  token: 't',
  fetch: async (request) => {
    asked.push((request as Request).url);
    return Response.json({ items: [], next_cursor: null, last_sequence: 0, has_more: false });
  },
};
/** Makes a client with other options, also such as its types refuse. */
const make = (options: object) => createClient({ ...right, ...options } as typeof right);
const changes = (options: object) => make({}).changes(options as ChangesOptions);
/** What the work throws, or what a promise of it rejects with. */
const refusal = async (work: () => unknown): Promise<unknown> => {
  const before = asked.length;
  try {
    return await work();
  } catch (error) {
    expect(asked.length, 'nothing is sent').toBe(before);
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
};

test('an API key needs no organization; a token without one can ask who the user is', async () => {
  const sent: Headers[] = [];
  const given = {
    baseUrl: 'http://service.test/v1',
    fetch: async (request: Request | string | URL) => {
      sent.push((request as Request).headers);
      return Response.json({});
    },
  };
  const robot = createClient({ ...given, apiKey: 'k' });
  await robot.get('/leads');
  await createClient({ ...given, apiKey: 'k', organizationId: id }).get('/leads');
  const person = createClient({ ...given, token: 't' });
  await person.get('/me');
  // @ts-expect-error: a token acts in no organization without its id.
  expect(() => person.get('/leads')).not.toThrow();
  const named = sent.map((one) => one.get('x-organization-id'));
  expect(named.slice(0, 3)).toEqual([null, id, null]);
});

const ofRetry = (name: string) => (given: unknown) => make({ retry: { [name]: given } });

test.each<[name: string, least: number, most: number, use: (given: unknown) => object]>([
  ['retry.attempts', 1, 100, ofRetry('attempts')],
  ['retry.attemptTimeoutMs', 1, longestTimerMs, ofRetry('attemptTimeoutMs')],
  ['retry.firstDelayMs', 1, longestTimerMs, ofRetry('firstDelayMs')],
  ['retry.mostDelayMs', 1, longestTimerMs, ofRetry('mostDelayMs')],
  ['retry.waitForServiceMs', 0, longestTimerMs, ofRetry('waitForServiceMs')],
  ['after', 0, Number.MAX_SAFE_INTEGER, (after) => changes({ after })],
  ['pollEvery', 1, longestTimerMs, (pollEvery) => changes({ pollEvery })],
])('%s is a whole number, from %d to %d', async (name, least, most, use) => {
  const range = `${name} must be a whole number from ${least} to ${most}`;
  const infinite = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
  for (const given of [...infinite, -1, 1.5, 2 ** 53, least - 1, most + 1]) {
    expect(await refusal(() => use(given))).toBe(`RangeError: ${range}, not ${given}`);
  }
  const others = [
    ['5', '"5"'],
    [null, 'null'],
    [5n, '5'],
    [true, 'true'],
    [[5], 'a list'],
  ];
  for (const [given, told] of others) {
    expect(await refusal(() => use(given))).toBe(`TypeError: ${range}, not ${told}`);
  }
  for (const given of [least, most, undefined]) expect(use(given)).toBeTypeOf('object');
});

test.each([
  [{ organisationId: id }, 'options must not have "organisationId": there are baseUrl, '],
  [{ retry: { attempt: 3 } }, 'retry must not have "attempt": there are attempts, '],
  [{ retry: 3 }, 'retry must be an object, not 3'],
  [{ retry: null }, 'retry must be an object, not null'],
  [{ fetch: 'fetch' }, 'fetch must be a function, not "fetch"'],
  [{ organizationId: 'o' }, 'organizationId must be a UUID, not "o"'],
  [{ organizationId: null }, 'organizationId must be a UUID, not null'],
  [{ organizationId: `${id}\n` }, `organizationId must be a UUID, not "${id}\\n"`],
  [{ organizationId: 'x'.repeat(100) }, `organizationId must be a UUID, not "${'x'.repeat(100)}"`],
  [{ organizationId: 'x'.repeat(101) }, 'organizationId must be a UUID, not a text of 101 '],
  [{ token: undefined }, 'options must have a token or an apiKey, and only one of them'],
  [{ apiKey: 'k' }, 'options must have a token or an apiKey, and only one of them'],
  [{ token: '' }, 'token must be one API key or id_token, not an empty text'],
  [{ token: 5 }, 'token must be a text, or a function that gives one, not 5'],
  [{ token: undefined, apiKey: null }, 'apiKey must be a text, or a function that gives one, '],
])('a client with %j is refused', async (options, message) => {
  expect(await refusal(() => make(options))).toContain(`TypeError: ${message}`);
});

test.each([undefined, null, 'http://service.test/v1', [], () => {}])(
  'options that are %j are refused',
  async (given) => {
    const refused = await refusal(() => createClient(given as never));
    expect(refused).toMatch(/^TypeError: options must be an object, not /);
  },
);

const whole = 'must be a whole URL with http or https, such as https://….com/v1';
const bare = 'must have no query and no hash';
const anonymous = 'must have no user name and no password';

test.each([
  ['', whole, '""'],
  ['/v1', whole, '"/v1"'],
  ['service.test/v1', whole, '"service.test/v1"'],
  ['localhost:3000/v1', whole, '"localhost:3000/v1"'],
  ['ftp://service.test/v1', whole, '"ftp://service.test/v1"'],
  ['xhttp://service.test/v1', whole, '"xhttp://service.test/v1"'],
  ['http://service.test:99999/v1', whole, '"http://service.test:99999/v1"'],
  [undefined, whole, 'undefined'],
  [new URL('http://service.test/v1'), whole, 'an object'],
  ['http://service.test/v1?', bare, '"http://service.test/v1…"'],
  ['http://service.test/v1?key=secret', bare, '"http://service.test/v1…"'],
  ['http://service.test/v1#top', bare, '"http://service.test/v1…"'],
  ['http://user:secret@service.test/v1', anonymous, '"http:…service.test/v1"'],
  ['http://user@service.test/v1', anonymous, '"http:…service.test/v1"'],
  ['http://:secret@service.test/v1', anonymous, '"http:…service.test/v1"'],
  ['http://user:secret@service.test:99999/v1', whole, '"http:…service.test:99999/v1"'],
])('the base URL is not %s', async (baseUrl, problem, told) => {
  const refused = `TypeError: baseUrl ${problem}, not ${told}`;
  expect(await refusal(() => make({ baseUrl }))).toBe(refused);
});

test.each([
  ['https://service.test/v1/', 'https://service.test/v1/leads'],
  ['HTTP://Service.Test:80/v1//', 'http://service.test/v1/leads'],
  [' http://service.test/v1\n', 'http://service.test/v1/leads'],
  ['http://[::1]:3000', 'http://[::1]:3000/leads'],
])('the base URL %j leads to %s', async (baseUrl, url) => {
  await make({ baseUrl }).get('/leads');
  expect(asked.at(-1)).toBe(url);
});

test.each(['secret\nsecret', 'secret\n', ' secret', 'Bearer secret', 'secr\u00e9t', 'secret\0'])(
  'a token %j is refused, and not repeated',
  async (secret) => {
    const message =
      'must be one API key or id_token, not a text with white space or other signs in it';
    for (const [name, work] of [
      ['token', () => make({ token: secret })],
      ['apiKey', () => make({ token: undefined, apiKey: secret })],
      ['token()', () => make({ token: async () => secret }).get('/leads')],
    ] as const) {
      expect(await refusal(work)).toBe(`TypeError: ${name} ${message}`);
    }
  },
);

test.each([undefined, null, 5, ''])(
  'a token’s function that gives %j ends the call',
  async (given) => {
    const get = () => make({ token: () => given }).get('/leads');
    expect(await refusal(get)).toMatch(/^TypeError: token\(\) must be /);
  },
);

test('options that are changed after the client was made change nothing', async () => {
  const retry = { attempts: 1, firstDelayMs: 1 };
  let times = 0;
  const send = async () => {
    times++;
    return new Response('{}', { status: 503 });
  };
  const crm = make({ retry, fetch: send });
  retry.attempts = Number.POSITIVE_INFINITY;
  await expect(crm.get('/leads')).rejects.toMatchObject({ status: 503 });
  expect(times).toBe(1);
});

const path = { lead_id: id };

test.each([
  [{ ifmatch: '"1"' }, 'request must not have "ifmatch": there are path, query, body, '],
  [{ headers: {} }, 'request must not have "headers": '],
  [null, 'request must be an object, not null'],
  [{ path: id }, `path must be an object, not "${id}"`],
  [{ path: { lead_id: undefined } }, 'lead_id is no id: “undefined”'],
  [{ path: { lead_id: null } }, 'lead_id is no id: “null”'],
  [{ path: { lead_id: '' } }, 'lead_id is no id: “”'],
  [{ path: { lead_id: '.' } }, 'lead_id is no id: “.”'],
  [{ path: { note_id: '..' } }, 'note_id is no id: “..”'],
  [{ path, query: 'limit=1' }, 'query must be an object, not "limit=1"'],
  [{ path, ifMatch: 1 }, 'ifMatch must be an ETag, not 1'],
  [{ path, idempotencyKey: '' }, 'idempotencyKey must be a UUID, not ""'],
  [{ path, idempotencyKey: 'again' }, 'idempotencyKey must be a UUID, not "again"'],
  [{ path, signal: null }, 'signal must be an AbortSignal, not null'],
  [{ path, signal: () => {} }, 'signal must be an AbortSignal, not a function'],
  [{ path, signal: 'stop' }, 'signal must be an AbortSignal, not "stop"'],
  [{ path, signal: new AbortController() }, 'signal must be an AbortSignal, not an object'],
])('a call with %j is refused, and sends nothing', async (request, message) => {
  const crm = make({});
  for (const work of [
    () => crm.patch('/leads/{lead_id}', request as never),
    () => crm.items('/leads', request as never),
    () => crm.pages('/leads', request as never),
  ])
    expect(await refusal(work)).toContain(message);
});

test('a call with all that it takes is sent', async () => {
  const { signal } = new AbortController();
  const request = { path, body: { stage: 'won' }, ifMatch: '"1"', idempotencyKey: id, signal };
  expect((await make({}).patch('/leads/{lead_id}', request)).status).toBe(200);
  const absent = { ifMatch: undefined, idempotencyKey: undefined, signal: undefined };
  expect((await make({}).patch('/leads/{lead_id}', { path, body: {}, ...absent })).status).toBe(
    200,
  );
});

test.each([
  [
    { poll: 5 },
    'options must not have "poll": there are after, feedId, from, to, types, userId, pollEvery, signal',
  ],
  [{ feedId: 'f' }, 'feedId must be a UUID, not "f"'],
  [{ types: [] }, 'types must be a list of at least one type, not an empty list'],
  [{ types: 'lead.created' }, 'types must be a list of at least one type, not "lead.created"'],
  [{ signal: {} }, 'signal must be an AbortSignal, not an object'],
  [{ from: 'yesterday' }, 'from must be a time in ISO 8601, not "yesterday"'],
])('changes with %j are refused', async (options, message) => {
  expect(await refusal(() => changes(options))).toBe(`TypeError: ${message}`);
});

test('changes with all that they take are read', async () => {
  const { signal } = new AbortController();
  const options: ChangesOptions = { after: 0, feedId: id, types: ['lead.created'], signal };
  const fetch = async () =>
    Response.json({ items: [], last_sequence: 0, has_more: false, feed_id: id });
  expect(await make({ fetch }).changes(options).next()).toEqual({ done: true, value: undefined });
});
