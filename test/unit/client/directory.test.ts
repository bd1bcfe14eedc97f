import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { goToCaller } from '../../../packages/client/src/cli/directory.ts';
import { runScript } from '../../support/command-line.ts';
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

test('files of npm run leads are where the person is', async () => {
  const { ran, isIn, tokens } = await exporting({ npm_lifecycle_event: 'leads' });
  expect(ran).toMatchObject({ code: 0, stdout: '0 leads\n' });
  expect([isIn('person'), isIn('project'), [...tokens]]).toEqual([
    true,
    false,
    ['Bearer token-of-person'],
  ]);
});

test.each<[string, NodeJS.ProcessEnv, boolean]>([
  ['the script leads', { INIT_CWD: '/person', npm_lifecycle_event: 'leads' }, true],
  ['npx', { INIT_CWD: '/person', npm_lifecycle_event: 'npx' }, true],
  ['no script', { INIT_CWD: '/person' }, true],
  ['another script', { INIT_CWD: '/person', npm_lifecycle_event: 'nightly' }, false],
  ['no npm', {}, false],
  ['no directory', { INIT_CWD: '', npm_lifecycle_event: 'leads' }, false],
])('with %s it goes to the person’s directory, or stays: %j', (_, environment, goes) => {
  const chdir = vi.spyOn(process, 'chdir').mockReturnValue();
  onTestFinished(() => chdir.mockRestore());
  goToCaller(environment);
  expect(chdir.mock.calls).toEqual(goes ? [['/person']] : []);
  chdir.mockImplementation(() => {
    throw new Error('gone');
  });
  if (goes) {
    expect(() => goToCaller(environment)).toThrow('The directory /person can’t be used: gone');
  } else expect(() => goToCaller(environment)).not.toThrow();
});
