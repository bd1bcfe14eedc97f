import { writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { Connection } from '../../../packages/client/src/cli/connection.ts';
import { connectionTo, fileOf, withoutWaits, withStillClock } from './support.ts';

const organization = '0b861954-ed91-4e84-8458-6e46c6a6d30c';
const where = { baseUrl: 'http://service.test/v1', organization };

test.each(['first\nsecond', 'first second', 'first\u0000'])(
  'a token %j is refused, and not repeated',
  async (text) => {
    const file = { LEADS_TOKEN_FILE: await fileOf('token', text) };
    for (const environment of [file, { LEADS_TOKEN: text }]) {
      const [[name]] = Object.entries(environment) as [[string, string]];
      expect(() => new Connection(where, environment)).toThrow(
        new RegExp(
          `^${name} must hold one API key or id_token, without white space or other signs in it.$`,
        ),
      );
    }
  },
);

test('a token is taken without the white space around it', async () => {
  let sent: string | null = '';
  for (const environment of [
    { LEADS_TOKEN_FILE: await fileOf('token', ' aB-_.1\r\n\n') },
    { LEADS_TOKEN: 'aB-_.1\n' },
  ]) {
    const connection = connectionTo(({ headers }) => {
      sent = headers.get('authorization');
      return Response.json({});
    }, environment);
    await connection.send((client) => client.get('/organization'));
    expect(sent).toBe('Bearer aB-_.1');
  }
});

test('a token that ends while the service is away for long is waited for as well', async () => {
  const file = await fileOf('token', 'first');
  withStillClock();
  const refusal = (status: number, code: string) =>
    Response.json({ error: { code, message: 'm', request_id: 'r' } }, { status });
  const answers = [
    () => {
      vi.setSystemTime(Date.now() + 90_000);
      return refusal(503, 'unavailable');
    },
    () => {
      setTimeout(() => writeFileSync(file, 'second'), 300);
      return refusal(401, 'unauthenticated');
    },
    () => Response.json({ id: 'o' }),
  ];
  const connection = connectionTo(() => answers.shift()!(), { LEADS_TOKEN_FILE: file });
  const { data } = await connection.send((client) => client.get('/organization'));
  expect(data).toEqual({ id: 'o' });
});

test.each([
  ['service.test/v1', 'be a whole URL with http or https, such as https://….com/v1'],
  ['http://service.test/v1?a=b', 'have no query and no hash'],
  ['http://ana:secret@service.test/v1', 'have no user name and no password'],
])('the service can’t be at %s', (baseUrl, problem) => {
  const connect = () => new Connection({ baseUrl, organization }, { LEADS_TOKEN: 't' });
  expect(connect).toThrow(`--base-url must ${problem}`);
});

test.each(['', 'o', `${organization} `])('the organization is none: %j', (wrong) => {
  const connect = () => new Connection({ ...where, organization: wrong }, { LEADS_TOKEN: 't' });
  expect(connect).toThrow('--organization must be a UUID.');
});

/** A connection without an organization, to a service that knows whose key or token it is. */
const connectionOf = (...organizations: string[]) => {
  const named: [path: string, organization: string | null][] = [];
  const answer = ({ url, headers }: Request) => {
    named.push([new URL(url).pathname, headers.get('x-organization-id')]);
    return Response.json({ organizations: organizations.map((id) => ({ id })) });
  };
  const connection = connectionTo(answer, { LEADS_TOKEN: 't' }, {});
  const get = () => connection.send((client) => client.get('/organization'));
  return { connection, get, named };
};

test('without an organization, all requests name the only one that the caller is in', async () => {
  const { connection, get, named } = connectionOf(organization);
  await get();
  expect(await connection.organization()).toBe(organization);
  await get();
  expect(named).toEqual([
    ['/v1/me', null],
    ['/v1/organization', organization],
    ['/v1/organization', organization],
  ]);
});

test('without an organization, who is in several or in none is asked which', async () => {
  const several = ['a', 'b'];
  await expect(connectionOf(...several).get()).rejects.toThrow(
    '--organization must say which one: a, b.',
  );
  await expect(connectionOf().get()).rejects.toThrow('--organization is needed.');
});

test.each([{}, { LEADS_TOKEN: '' }, { LEADS_TOKEN: ' \n' }, { LEADS_TOKEN_FILE: '' }])(
  'without a token, there is nothing to begin: %j',
  (environment) => {
    expect(() => new Connection(where, environment)).toThrow('Set LEADS_TOKEN or LEADS_TOKEN_FILE');
  },
);

test('a file that is empty for a moment, as while it is written, is waited for', async () => {
  const file = await fileOf('token', '');
  const sent: (string | null)[] = [];
  withStillClock();
  const connection = connectionTo(
    ({ headers }) => {
      sent.push(headers.get('authorization'));
      return Response.json({});
    },
    { LEADS_TOKEN_FILE: file },
  );
  const get = () => connection.send((client) => client.get('/organization'));
  const late = get();
  vi.setSystemTime(Date.now() + 60_001);
  await expect(late).rejects.toThrow('LEADS_TOKEN_FILE is empty.');
  expect(sent).toEqual([]);
  const waiting = get();
  writeFileSync(file, 'first');
  await waiting;
  expect(sent).toEqual(['Bearer first']);
});

test.each([10, 11, 55])(
  'a request that the limit refuses %i times is sent until it is taken, whoever uses the limit up',
  async (times) => {
    withoutWaits();
    let asked = 0;
    const connection = connectionTo(() =>
      ++asked > times
        ? Response.json({ ok: true })
        : Response.json(
            { error: { code: 'rate_limited', message: 'm', request_id: 'r' } },
            { status: 429, headers: { 'retry-after': '0' } },
          ),
    );
    const { status } = await connection.send((client) => client.get('/organization'));
    expect([status, asked]).toEqual([200, times + 1]);
  },
);

test('a request that is refused for good is not sent again', async () => {
  let asked = 0;
  const connection = connectionTo(() => {
    asked++;
    return Response.json(
      { error: { code: 'forbidden', message: 'm', request_id: 'r' } },
      { status: 403 },
    );
  });
  await expect(connection.send((client) => client.get('/organization'))).rejects.toThrow('m');
  expect(asked).toBe(1);
});

const refused = (status: number, code: string, details: object[] = []) =>
  Response.json(
    { error: { code, message: 'm', request_id: 'r', details } },
    { status, headers: { 'x-request-id': 'r' } },
  );
const ask = (connection: Connection) =>
  connection
    .send((client) => client.get('/organization'))
    .then(
      ({ status }) => status,
      ({ message }: Error) => message,
    );

test('a limit before the API is waited for, too, and a service that is away for ten attempts', async () => {
  withoutWaits();
  let asked = 0;
  const after = (times: number, answer: () => Response) => {
    asked = 0;
    return connectionTo(() => (++asked > times ? Response.json({}) : answer()));
  };
  const page = () => new Response('<html>', { status: 429 });
  expect([await ask(after(11, page)), asked]).toEqual([200, 12]);
  expect([await ask(after(9, () => refused(503, 'unavailable'))), asked]).toEqual([200, 10]);
  expect([await ask(after(10, () => refused(503, 'unavailable'))), asked]).toEqual(['m', 10]);
});

test('why a token is not taken is told as the service says it, with where the token came from', async () => {
  const details = [{ path: 'Authorization', message: 'is not an API key of this organization' }];
  const refusing = () => refused(401, 'unauthenticated', details);
  const why = 'unauthenticated: Authorization is not an API key of this organization (request r).';
  expect(await ask(connectionTo(refusing, { LEADS_TOKEN: 't' }))).toBe(
    `${why} Set another token in LEADS_TOKEN.`,
  );
  const file = { LEADS_TOKEN_FILE: await fileOf('token', 'first') };
  withStillClock();
  const waiting = ask(connectionTo(refusing, file));
  const late = setInterval(() => vi.setSystemTime(Date.now() + 30_000), 50);
  expect(await waiting).toBe(`${why} LEADS_TOKEN_FILE got no other token.`);
  clearInterval(late);
});

test('a file of a token that is not there is told at the beginning', () => {
  const environment = { LEADS_TOKEN_FILE: 'no-such-token' };
  expect(() => new Connection(where, environment)).toThrow(
    'LEADS_TOKEN_FILE can’t be read: ENOENT',
  );
  // Without a file, a token is enough.
  expect(() => new Connection(where, { ...environment, LEADS_TOKEN: 't' })).not.toThrow();
});

test('who is in more than a page of organizations is asked which', async () => {
  const answer = () => Response.json({ organizations: [{ id: 'a' }], next_cursor: 'x' });
  const connection = connectionTo(answer, { LEADS_TOKEN: 't' }, {});
  expect(await ask(connection)).toBe('--organization must say which one: a.');
});
