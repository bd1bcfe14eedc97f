import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { given } from '../support/command-line.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Stands for `npm run openapi`: it writes the version into a document, as that does. */
const generator = `import { readFileSync, writeFileSync } from 'node:fs';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync('docs/openapi.json', version);`;

test('a release has its version in what is generated, too', {
  tags: ['long', 'posix'],
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-release-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { version } = scripts;
  const project = {
    name: 'released',
    version: '0.1.0',
    type: 'module',
    scripts: { version, openapi: 'node generate.js' },
  };
  const files = {
    'package.json': JSON.stringify(project),
    'docs/openapi.json': '0.1.0',
    'packages/client/src/schema.ts': '',
    'generate.js': generator,
    '.gitignore': 'node_modules\n',
  };
  await mkdir(join(directory, 'docs'));
  await mkdir(join(directory, 'packages/client/src'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);

  const env = {
    ...given,
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    npm_config_cache: join(directory, '.git/npm'),
    npm_config_update_notifier: 'false',
  };
  const command = async (program: string, ...args: string[]) =>
    (await run(program, args, { cwd: directory, env })).stdout;
  await command('git', 'init', '--quiet');
  await command('git', 'config', 'user.name', 'Somebody');
  await command('git', 'config', 'user.email', 'somebody@example.com');
  await command('git', 'add', '.');
  await command('git', 'commit', '--quiet', '--message', 'Begin');
  await command('npm', 'version', 'minor');

  expect(await command('git', 'show', 'HEAD:docs/openapi.json')).toBe('0.2.0');
  expect(await command('git', 'status', '--porcelain')).toBe('');
  expect(await command('git', 'tag', '--points-at', 'HEAD')).toBe('v0.2.0\n');
});
