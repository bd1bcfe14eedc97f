import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { provision } from '../../support/organization.ts';
import { useClient } from '../../systems/client-use.ts';

const run = promisify(execFile);
const cwd = join(import.meta.dirname, '../../../packages/client');
const root = join(cwd, '../..');
const tsc = join(root, 'node_modules/.bin/tsc');
/** Installed by `npm run openapi` and `npm run lint`. */
const generator = join(root, 'tools/check/node_modules/.bin/openapi-typescript');

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'client-test-'));
  await mkdir(join(directory, 'node_modules/@leads-and-stars'), { recursive: true });
  await symlink(cwd, join(directory, 'node_modules/@leads-and-stars/client'));
});

afterAll(() => rm(directory, { recursive: true }));

test.skipIf(!existsSync(generator))(
  'its types are those of the committed openapi.json; else `npm run openapi`',
  { tags: ['long'] },
  async () => {
    const output = join(directory, 'schema.ts');
    const flags = ['--default-non-nullable=false', '--output', output];
    await run(generator, [join(cwd, '../../docs/openapi.json'), ...flags], { cwd });
    const committed = await readFile(join(cwd, 'src/schema.ts'), 'utf8');
    expect(await readFile(output, 'utf8')).toBe(committed);
  },
);

/** Those of the files that do not compile, with all that TypeScript can ask for. */
const filesWithErrors = async (files: Record<string, string>): Promise<string[]> => {
  for (const [name, source] of Object.entries(files)) {
    await writeFile(join(directory, name), source);
  }
  const flags = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  flags.push('--skipLibCheck', '--pretty', 'false');
  const options = ['--noEmit', '--target', 'es2022', '--module', 'nodenext', ...flags];
  const compiled = run(tsc, [...options, ...Object.keys(files)], { cwd: directory });
  const { stdout } = await compiled.catch((error) => error);
  return [...new Set([...stdout.matchAll(/^(.+?)\(\d+,\d+\): error /gm)].map(([, file]) => file))];
};

test('is packed with what its users need: it runs, and its README’s example compiles', {
  tags: ['long'],
}, async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd });
  const answer = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [packed] = Array.isArray(answer) ? answer : (Object.values(answer) as (typeof answer)[]);
  const paths = packed.files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
  );
  expect(paths.filter((path: string) => !/^(README\.md|package\.json|dist\/)/.test(path))).toEqual(
    [],
  );

  // As a user has it who installs the package: with what it depends on, and nothing else of this project.
  const place = join(directory, 'installed/node_modules');
  const unpacked = join(place, '@leads-and-stars/client');
  await mkdir(unpacked, { recursive: true });
  await run('tar', ['-xf', join(directory, packed.filename), '-C', unpacked, '--strip=1']);
  const { license, dependencies, bin, version } = JSON.parse(
    await readFile(join(unpacked, 'package.json'), 'utf8'),
  );
  expect(Object.keys(dependencies).sort()).toEqual(['openapi-fetch', 'uuid']);
  for (const name of Object.keys(dependencies)) {
    await symlink(join(root, 'node_modules', name), join(place, name));
  }
  const leads = await run('node', [join(unpacked, bin.leads), '--help'], { cwd: place });
  expect(leads.stdout).toMatch(/^Usage: leads /);
  const said = await run('node', [join(unpacked, bin.leads), '--version'], { cwd: place });
  expect(said.stdout).toBe(`${version}\n`);
  const project = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(license).toBe(project.license);

  // The README's examples, in a project that has it installed. Beside each stands one that is wrong, which must not compile.
  const readme = await readFile(join(cwd, 'README.md'), 'utf8');
  const webhooks = 'node_modules/standardwebhooks';
  await symlink(join(root, webhooks), join(directory, webhooks));

  const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  expect(example).toContain('createClient');
  const session = 'declare const session: { idToken(): Promise<string>; userId: string };\n';
  const metering = await readFile(join(cwd, 'examples/meter-a-job.ts'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${metering}\`\`\``);
  expect(metering.trim().split('\n').length).toBeLessThanOrEqual(22);
  // A test message is told from a change.
  const [, receiving = ''] =
    /^```ts\n(import type \{ WebhookMessage .*?)^```$/ms.exec(readme) ?? [];
  const given = `import type { Change } from '@leads-and-stars/client';
    declare const secret: string, body: string, request: { headers: Record<string, string> };
    declare const apply: (change: Change) => Promise<void>;`;
  const right = {
    'right-example.mts': session + example,
    'right-metering.mts': metering,
    'right-receiving.mts': given + receiving,
  };
  const wrong = {
    'wrong-example.mts': session + example.replace('contact_name:', 'contact:'),
    'wrong-metering.mts': metering.replace('expires_in_seconds', 'expires'),
    'wrong-receiving.mts': given + receiving.replace('if (', 'if (true || '),
  };
  expect(await filesWithErrors({ ...right, ...wrong })).toEqual(Object.keys(wrong));

  const script = `import { createClient } from '@leads-and-stars/client'; console.log(typeof createClient)`;
  const { stdout: type } = await run('node', ['--input-type=module', '-e', script], { cwd: place });
  expect(type.trim()).toBe('function');
});

/** Files of the command line that a file loads with itself; what it loads later is not among them. */
const loadedWith = async (file: string, all = new Set<string>()): Promise<Set<string>> => {
  all.add(file);
  const code = await readFile(file, 'utf8');
  for (const [, path] of code.matchAll(/(?:from|import)"(\.\/[^"]+\.js)"/g)) {
    const other = join(file, '..', path!);
    if (!all.has(other)) await loadedWith(other, all);
  }
  return all;
};
const bytesOf = async (files: Iterable<string>): Promise<number> =>
  (await Promise.all([...files].map((file) => stat(file)))).reduce(
    (sum, { size }) => sum + size,
    0,
  );

test('the command line has at most 500 kB, of which it loads 100 kB to begin with', {
  tags: ['long'],
}, async () => {
  await run('npm', ['run', 'bundle'], { cwd });
  const folder = join(cwd, 'dist/cli');
  const all = (await readdir(folder)).map((name) => join(folder, name));
  expect(await bytesOf(all)).toBeLessThanOrEqual(500_000);
  const first = await loadedWith(join(folder, 'main.js'));
  expect(await bytesOf(first)).toBeLessThanOrEqual(100_000);
  expect(await bytesOf(first)).toBeGreaterThan(30_000);
  // What knows the numbers of all countries is there, and comes with the first phone.
  const texts = await Promise.all(all.map((file) => readFile(file, 'utf8')));
  const holders = all.filter((_, i) => texts[i]!.includes('country_calling_codes'));
  expect(holders.length).toBeGreaterThan(0);
  expect(holders.filter((file) => first.has(file))).toEqual([]);
});

interface Locked {
  devDependencies?: Record<string, string>;
  dependencies?: Record<string, string>;
  engines?: { node?: string };
}

// From 22.12 on, `require` takes ES modules. What is newer in JavaScript itself, its tsconfig.json does not know.
test('it takes Node.js from 22.12 on, and each package that it needs does so, too', async () => {
  const lock = JSON.parse(await readFile(join(cwd, '../../package-lock.json'), 'utf8'));
  const packages: Record<string, Locked> = lock.packages;
  const needs = (name: string): [string, Locked][] => {
    const found =
      packages[`packages/client/node_modules/${name}`] ?? packages[`node_modules/${name}`]!;
    return [[name, found], ...Object.keys(found.dependencies ?? {}).flatMap(needs)];
  };
  const client = packages['packages/client']!;
  // What its command line needs is bundled.
  const direct = { ...client.dependencies, ...client.devDependencies };
  const all = [['client', client] as const, ...Object.keys(direct).flatMap(needs)];
  expect(all.map(([name]) => name)).toContain('commander');
  expect(client.engines!.node).toBe('>=22.12');
  const takes22 = /^>= ?((1?\d|2[01])(\.\d+)*|22(\.(\d|1[0-2](\.0)?))?)$/;
  expect(['>=24', '>=22.13', '>=22.12.1'].filter((range) => takes22.test(range))).toEqual([]);
  expect(['>= 18', '>=20.19', '>=22.12.0'].filter((range) => !takes22.test(range))).toEqual([]);
  const others = all.filter(([, { engines }]) => !takes22.test(engines?.node ?? '>=0'));
  expect(others.map(([name, { engines }]) => `${name} ${engines?.node}`)).toEqual([]);
});

/** A Node.js 22 of this machine, where there is one. `npm run systems:client -- NODE` has any other use what is packed. */
const node22 = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((node) => {
    try {
      return execFileSync(node, ['--version'], { encoding: 'utf8' }).startsWith('v22.');
    } catch {
      return false;
    }
  });

test.skipIf(!node22)(
  'it runs on Node.js 22, and its command line, too',
  {
    tags: ['long'],
  },
  async () => {
    await run('npm', ['run', 'build'], { cwd });
    const { id, tokens, pipelineId } = await provision();
    const { baseUrl } = inject('service');
    const service = { baseUrl, organization: id, pipeline: pipelineId, token: tokens.owner };
    await useClient(node22!, directory, service);
  },
);
