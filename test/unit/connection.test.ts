import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../../packages/client/src/cli/connection.ts';

const where = { baseUrl: 'http://service.test/v1', organization: 'o' };

describe('a token', () => {
  const fileOf = async (text: string) => {
    const directory = await mkdtemp(join(tmpdir(), 'leads-token-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'token'), text);
    return join(directory, 'token');
  };

  test.each(['first\nsecond', 'first second', 'first\u0000'])(
    '%j is refused, and not repeated',
    async (text) => {
      const file = { LEADS_TOKEN_FILE: await fileOf(text) };
      for (const environment of [file, { LEADS_TOKEN: text }]) {
        const [[name]] = Object.entries(environment) as [[string, string]];
        expect(() => new Connection(where, environment)).toThrow(
          new RegExp(`^${name} must hold one id_token, without white space or other signs in it.$`),
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
      { LEADS_TOKEN_FILE: await fileOf(' aB-_.1\r\n\n') },
      { LEADS_TOKEN: 'aB-_.1\n' },
    ]) {
      await new Connection(where, environment).send((client) => client.get('/organization'));
      expect(sent).toBe('Bearer aB-_.1');
    }
  });
});

test.each(['service.test/v1', 'localhost:3000/v1', '/v1', 'ftp://service.test/v1'])(
  'the service can’t be at %s',
  (baseUrl) => {
    const connect = () => new Connection({ baseUrl, organization: 'o' }, { LEADS_TOKEN: 't' });
    expect(connect).toThrow('--base-url must be a whole URL with http or https');
  },
);
