import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { given, runScript } from '../../support/command-line.ts';
import { serverOf } from '../../support/server.ts';
import { makeDirectory } from './support.ts';

const main = join(import.meta.dirname, '../../../packages/client/src/cli/main.ts');

/** A directory with one for the project and one where the person is, and an export there, started as npm does. */
const exporting = async (variables: Record<string, string>) => {
  const path = await makeDirectory();
  for (const name of ['project', 'person']) {
    mkdirSync(path(name));
    writeFileSync(join(path(name), 'token'), `token-of-${name}`);
  }
  const tokens: (string | undefined)[] = [];
  const baseUrl = `${await serverOf(({ url, headers }, answer) => {
    tokens.push(headers.authorization);
    answer.end(JSON.stringify({ items: [], ...(url?.includes('leads') && { next_cursor: null }) }));
  })}/v1`;
  const args = ['export', 'all.csv', '--base-url', baseUrl, '--organization', crypto.randomUUID()];
  const ran = await runScript(main, args, {
    cwd: path('project'),
    variables: {
      ...variables,
      INIT_CWD: path('person'),
      LEADS_TOKEN_FILE: 'token',
      HOME: path('.'),
    },
  });
  const isIn = (name: string) => {
    try {
      return readFileSync(join(path(name), 'all.csv'), 'utf8').length > 0;
    } catch {
      return false;
    }
  };
  return { ran, isIn, tokens: new Set(tokens) };
};

test.each<[string, Record<string, string>]>([
  ['npm run leads', { npm_lifecycle_event: 'leads' }],
  ['npx leads', { npm_lifecycle_event: 'npx' }],
  ['without npm', {}],
])('files are where the person is, with %s', async (_, variables) => {
  const { ran, isIn, tokens } = await exporting(variables);
  expect(ran).toMatchObject({ code: 0, stdout: '0 leads\n' });
  expect([isIn('person'), isIn('project'), [...tokens]]).toEqual([
    true,
    false,
    ['Bearer token-of-person'],
  ]);
});

test('a script of another name says files as its directory has them', async () => {
  const { isIn, tokens } = await exporting({ npm_lifecycle_event: 'nightly' });
  expect([isIn('person'), isIn('project'), [...tokens]]).toEqual([
    false,
    true,
    ['Bearer token-of-project'],
  ]);
});

test('a directory that is gone is told', async () => {
  const cwd = realpathSync((await makeDirectory())('.'));
  const variables = { ...given, INIT_CWD: join(cwd, 'gone') } as Record<string, string>;
  const { code, stderr } = await runScript(main, ['export'], { cwd, variables });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^The directory .*gone can’t be used/)]);
});
