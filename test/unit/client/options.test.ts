import { describe, expect, test } from 'vitest';
import {
  type ChangesOptions,
  type ClientOptions,
  createClient,
  type OrganizationClientOptions,
} from '../../../packages/client/src/index.ts';

const id = crypto.randomUUID();
const longestTimerMs = 2_147_483_647;
let asked = 0;
const right: OrganizationClientOptions = {
  baseUrl: 'http://service.test/v1',
  organizationId: id,
  token: 't',
  fetch: async () => {
    asked++;
    return Response.json({ items: [], next_cursor: null, last_sequence: 0, has_more: false });
  },
};
/** Makes a client with other options, also such as its types refuse. */
const make = (options: object) => createClient({ ...right, ...options } as typeof right);
const refusal = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
};

describe('a number', () => {
  const limits: [name: string, least: number, most: number][] = [
    ['attempts', 1, 100],
    ['attemptTimeoutMs', 1, longestTimerMs],
    ['firstDelayMs', 1, longestTimerMs],
    ['mostDelayMs', 1, longestTimerMs],
    ['waitForServiceMs', 0, longestTimerMs],
  ];
  const wrong = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, -1, 1.5, 2 ** 53];

  test.each(limits)('retry.%s is whole, from %d to %d', async (name, least, most) => {
    const range = `retry.${name} must be a whole number from ${least} to ${most}`;
    for (const given of [...wrong, least - 1, most + 1]) {
      expect(refusal(() => make({ retry: { [name]: given } }))).toBe(
        `RangeError: ${range}, not ${given}`,
      );
    }
    for (const [given, told] of [
      ['5', '"5"'],
      [null, 'null'],
      [5n, '5'],
      [true, 'true'],
      [[5], 'a list'],
    ]) {
      expect(refusal(() => make({ retry: { [name as string]: given } }))).toBe(
        `TypeError: ${range}, not ${told}`,
      );
    }
    for (const given of [least, most, undefined]) {
      expect((await make({ retry: { [name]: given } }).get('/leads')).status).toBe(200);
    }
  });

  const changes: [name: string, least: number, most: number][] = [
    ['after', 0, Number.MAX_SAFE_INTEGER],
    ['pollEvery', 1, longestTimerMs],
  ];
  test.each(changes)('%s of changes is whole, from %d to %d', (name, least, most) => {
    const read = (given: unknown) => make({}).changes({ [name]: given } as ChangesOptions);
    for (const given of [...wrong, least - 1, most + 1]) {
      expect(refusal(() => read(given))).toBe(
        `RangeError: ${name} must be a whole number from ${least} to ${most}, not ${given}`,
      );
    }
    for (const given of [least, most, undefined]) expect(read(given)).toHaveProperty('next');
  });
});

test.each([
  [{ organisationId: id }, 'options must not have "organisationId": there are baseUrl, '],
  [{ retry: { attempt: 3 } }, 'retry must not have "attempt": there are attempts, '],
  [{ retry: 3 }, 'retry must be an object, not 3'],
  [{ retry: null }, 'retry must be an object, not null'],
  [{ fetch: 'fetch' }, 'fetch must be a function, not "fetch"'],
  [{ organizationId: 'o' }, 'organizationId must be a UUID, not "o"'],
  [{ organizationId: '' }, 'organizationId must be a UUID, not ""'],
  [{ organizationId: null }, 'organizationId must be a UUID, not null'],
  [{ organizationId: `${id}\n` }, `organizationId must be a UUID, not "${id}\\n"`],
  [
    { organizationId: 'x'.repeat(101) },
    'organizationId must be a UUID, not a text of 101 characters',
  ],
  [{ token: undefined }, 'options must have a token or an apiKey, and only one of them'],
  [{ apiKey: 'k' }, 'options must have a token or an apiKey, and only one of them'],
  [{ token: '' }, 'token must be one API key or id_token, not an empty text'],
  [{ token: 5 }, 'token must be a text, or a function that gives one, not 5'],
  [
    { token: undefined, apiKey: null },
    'apiKey must be a text, or a function that gives one, not null',
  ],
])('%j is refused', (options, message) => {
  expect(refusal(() => make(options))).toContain(`TypeError: ${message}`);
});

test('what is no object of options is refused', () => {
  for (const given of [undefined, null, 'http://service.test/v1', [], () => {}]) {
    expect(refusal(() => createClient(given as unknown as ClientOptions))).toMatch(
      /^TypeError: options must be an object, not /,
    );
  }
});

describe('the base URL', () => {
  const whole = 'must be a whole URL with http or https, such as https://….com/v1';
  const bare = 'must have no query and no hash';
  const anonymous = 'must have no user name and no password';

  test.each([
    ['', whole, '""'],
    ['/v1', whole, '"/v1"'],
    ['service.test/v1', whole, '"service.test/v1"'],
    ['localhost:3000/v1', whole, '"localhost:3000/v1"'],
    ['ftp://service.test/v1', whole, '"ftp://service.test/v1"'],
    ['http://', whole, '"http://"'],
    ['http://service.test:99999/v1', whole, '"http://service.test:99999/v1"'],
    [undefined, whole, 'undefined'],
    [new URL('http://service.test/v1'), whole, 'an object'],
    ['http://service.test/v1?', bare, '"http://service.test/v1…"'],
    ['http://service.test/v1?key=secret', bare, '"http://service.test/v1…"'],
    ['http://service.test/v1#top', bare, '"http://service.test/v1…"'],
    ['http://user:secret@service.test/v1', anonymous, '"http:…service.test/v1"'],
    ['http://user@service.test/v1', anonymous, '"http:…service.test/v1"'],
    ['http://user:secret@service.test:99999/v1', whole, '"http:…service.test:99999/v1"'],
  ])('is not %s', (baseUrl, problem, told) => {
    expect(refusal(() => make({ baseUrl }))).toBe(`TypeError: baseUrl ${problem}, not ${told}`);
  });

  test.each([
    ['http://service.test/v1', 'http://service.test/v1/leads'],
    ['https://service.test/v1/', 'https://service.test/v1/leads'],
    ['HTTP://Service.Test:80/v1//', 'http://service.test/v1/leads'],
    [' http://service.test/v1\n', 'http://service.test/v1/leads'],
    ['http://[::1]:3000', 'http://[::1]:3000/leads'],
  ])('%j leads to %s', async (baseUrl, url) => {
    let sent = '';
    const send = async (request: Request) => {
      sent = request.url;
      return Response.json({ items: [], next_cursor: null });
    };
    await make({ baseUrl, fetch: send }).get('/leads');
    expect(sent).toBe(url);
  });
});

describe('a token', () => {
  const secrets = [
    'secret\nsecret',
    'secret\n',
    ' secret',
    'Bearer secret',
    'secr\u00e9t',
    'secret\0',
  ];

  test.each(secrets)('%j is refused, and not repeated', async (secret) => {
    const message =
      'must be one API key or id_token, not a text with white space or other signs in it';
    expect(refusal(() => make({ token: secret }))).toBe(`TypeError: token ${message}`);
    const apiKey = { token: undefined, apiKey: secret };
    expect(refusal(() => make(apiKey))).toBe(`TypeError: apiKey ${message}`);
    const before = asked;
    const gives = make({ token: async () => secret }).get('/leads');
    await expect(gives).rejects.toThrow(new TypeError(`token() ${message}`));
    expect(asked).toBe(before);
  });

  test.each([undefined, null, 5, ''])('a function that gives %j ends the call', async (given) => {
    const before = asked;
    await expect(make({ token: () => given }).get('/leads')).rejects.toThrow(/^token\(\) must be /);
    expect(asked).toBe(before);
  });
});

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

describe('a call', () => {
  const path = { lead_id: id };

  test.each([
    [{ ifmatch: '"1"' }, 'request must not have "ifmatch": there are path, query, body, '],
    [{ headers: {} }, 'request must not have "headers": '],
    [null, 'request must be an object, not null'],
    [{ path: id }, `path must be an object, not "${id}"`],
    [{ path: { lead_id: undefined } }, 'lead_id is no id: “undefined”'],
    [{ path: { lead_id: null } }, 'lead_id is no id: “null”'],
    [{ path, query: 'limit=1' }, 'query must be an object, not "limit=1"'],
    [{ path, ifMatch: 1 }, 'ifMatch must be an ETag, not 1'],
    [{ path, idempotencyKey: '' }, 'idempotencyKey must be a UUID, not ""'],
    [{ path, idempotencyKey: 'again' }, 'idempotencyKey must be a UUID, not "again"'],
    [{ path, signal: 'stop' }, 'signal must be an AbortSignal, not "stop"'],
    [{ path, signal: new AbortController() }, 'signal must be an AbortSignal, not an object'],
  ])('with %j is refused, and sends nothing', async (request, message) => {
    const before = asked;
    const crm = make({});
    await expect(crm.patch('/leads/{lead_id}', request as never)).rejects.toThrow(message);
    expect(refusal(() => crm.items('/leads', request as never))).toContain(message);
    expect(refusal(() => crm.pages('/leads', request as never))).toContain(message);
    expect(asked).toBe(before);
  });

  test('with all that it takes is sent', async () => {
    const { signal } = new AbortController();
    const request = { path, body: { stage: 'won' }, ifMatch: '"1"', idempotencyKey: id, signal };
    const before = asked;
    expect((await make({}).patch('/leads/{lead_id}', request)).status).toBe(200);
    const absent = { ifMatch: undefined, idempotencyKey: undefined, signal: undefined };
    await make({}).patch('/leads/{lead_id}', { path, body: {}, ...absent });
    expect(asked).toBe(before + 2);
  });
});

test.each([
  [{ poll: 5 }, 'options must not have "poll": there are after, feedId, types, pollEvery, signal'],
  [{ feedId: 'f' }, 'feedId must be a UUID, not "f"'],
  [{ types: [] }, 'types must be a list of at least one type, not an empty list'],
  [{ types: 'lead.created' }, 'types must be a list of at least one type, not "lead.created"'],
  [{ signal: {} }, 'signal must be an AbortSignal, not an object'],
])('changes with %j are refused', (options, message) => {
  expect(refusal(() => make({}).changes(options as ChangesOptions))).toBe(`TypeError: ${message}`);
});

test('changes with all that they take are read', async () => {
  const { signal } = new AbortController();
  const options: ChangesOptions = { after: 0, feedId: id, types: ['lead.created'], signal };
  const fetch = async () =>
    Response.json({ items: [], last_sequence: 0, has_more: false, feed_id: id });
  expect(await make({ fetch }).changes(options).next()).toEqual({ done: true, value: undefined });
});
