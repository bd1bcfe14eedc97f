import { writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../../../packages/client/src/cli/connection.ts';
import { fileOf } from './support.ts';

const where = { baseUrl: 'http://service.test/v1', organization: 'o' };

describe('a token', () => {
  test.each(['first\nsecond', 'first second', 'first\u0000'])(
    '%j is refused, and not repeated',
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

  test('is taken without the white space around it', async () => {
    let sent: string | null = '';
    vi.stubGlobal('fetch', async ({ headers }: Request) => {
      sent = headers.get('authorization');
      return Response.json({});
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    for (const environment of [
      { LEADS_TOKEN_FILE: await fileOf('token', ' aB-_.1\r\n\n') },
      { LEADS_TOKEN: 'aB-_.1\n' },
    ]) {
      await new Connection(where, environment).send((client) => client.get('/organization'));
      expect(sent).toBe('Bearer aB-_.1');
    }
  });
});

test('a token that ends while the service is away for long is waited for as well', async () => {
  const file = await fileOf('token', 'first');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
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
  vi.stubGlobal('fetch', async () => answers.shift()!());
  const connection = new Connection(where, { LEADS_TOKEN_FILE: file });
  const { data } = await connection.send((client) => client.get('/organization'));
  expect(data).toEqual({ id: 'o' });
});

test.each(['service.test/v1', 'localhost:3000/v1', '/v1', 'ftp://service.test/v1'])(
  'the service can’t be at %s',
  (baseUrl) => {
    const connect = () => new Connection({ baseUrl, organization: 'o' }, { LEADS_TOKEN: 't' });
    expect(connect).toThrow('--base-url must be a whole URL with http or https');
  },
);
