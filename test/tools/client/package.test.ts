import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const cwd = join(import.meta.dirname, '../../../packages/client');
const tool = (name: string) => join(cwd, 'node_modules/.bin', name);

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'client-test-'));
});

afterAll(() => rm(directory, { recursive: true }));

test.each([
  ['openapi.json', 'schema.ts', []],
  ['functions.json', 'functions-schema.ts', ['--default-non-nullable=false']],
])('its types are those of the committed %s; else `npm run openapi`', async (name, file, more) => {
  const generate = async (document: string) => {
    const output = join(directory, file);
    await run(tool('openapi-typescript'), [document, ...more, '--output', output], { cwd });
    return readFile(output, 'utf8');
  };
  const document = join(cwd, '../../docs', name);
  const committed = await readFile(join(cwd, 'src', file), 'utf8');
  expect(await generate(document)).toBe(committed);
});

test('is packed with what its users need: it runs, and its README’s example compiles', {
  tags: ['long'],
}, async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd });
  const answer = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [packed] = Array.isArray(answer) ? answer : (Object.values(answer) as (typeof answer)[]);
  const files = packed.files.map(({ path }: { path: string }) => path);
  expect(files).toEqual(
    expect.arrayContaining([
      'README.md',
      'package.json',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/functions.js',
    ]),
  );
  expect(files.filter((path: string) => !/^(README\.md|package\.json|dist\/)/.test(path))).toEqual(
    [],
  );

  const { license } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
  const root = JSON.parse(await readFile(join(cwd, '../../package.json'), 'utf8'));
  expect(license).toBe(root.license);

  // The README's example, in a project that has it installed, with all that TypeScript can ask for.
  const readme = await readFile(join(cwd, 'README.md'), 'utf8');
  const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  expect(example).toContain('createClient');
  const scope = join(directory, 'node_modules/@leads-and-stars');
  await mkdir(scope, { recursive: true });
  await symlink(cwd, join(scope, 'client'));
  const compile = async (code: string) => {
    const session = 'declare const session: { idToken(): Promise<string>; userId: string };';
    await writeFile(join(directory, 'example.mts'), `${session}\n${code}`);
    const flags = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    // What the AWS SDK's declarations name is for its own users to install.
    flags.push('--skipLibCheck');
    const options = ['--noEmit', '--target', 'es2022', '--module', 'nodenext', ...flags];
    return run(tool('tsc'), [...options, 'example.mts'], { cwd: directory });
  };
  await compile(example);
  await expect(compile(example.replace('contact_name:', 'contact:'))).rejects.toThrow();

  // So does that of the functions, where the SDK is installed too; it stands in the README as it is.
  await symlink(join(cwd, '../../node_modules/@aws-sdk'), join(directory, 'node_modules/@aws-sdk'));
  const metering = await readFile(join(cwd, 'examples/meter-a-job.ts'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${metering}\`\`\``);
  expect(metering.trim().split('\n').length).toBeLessThanOrEqual(20);
  await compile(metering);
  await expect(compile(metering.replace('expires_in_seconds', 'expires'))).rejects.toThrow();

  // And that of webhooks, where a test message is told from a change.
  const [, receiving = ''] =
    /^```ts\n(import type \{ WebhookMessage .*?)^```$/ms.exec(readme) ?? [];
  await symlink(
    join(cwd, '../../node_modules/standardwebhooks'),
    join(directory, 'node_modules/standardwebhooks'),
  );
  const given = `import type { Change } from '@leads-and-stars/client';
    declare const secret: string, body: string, request: { headers: Record<string, string> };
    declare const apply: (change: Change) => Promise<void>;`;
  await compile(given + receiving);
  await expect(compile(given + receiving.replace('if (', 'if (true || '))).rejects.toThrow();

  const script = `import { createClient } from '@leads-and-stars/client'; console.log(typeof createClient)`;
  const { stdout: said } = await run('node', ['--input-type=module', '-e', script], { cwd });
  expect(said.trim()).toBe('function');
});
