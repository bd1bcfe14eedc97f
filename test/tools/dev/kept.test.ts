import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyProject } from './project.ts';
import { makeDirectory, remove } from './support.ts';

// In a copy of the project, whose sources can change.
// @module-tag long

let directory: string;
let project: string;

beforeAll(async () => {
  directory = await makeDirectory();
  project = join(directory, 'project');
  await copyProject(project);
});

afterAll(() => remove(directory));

/** In a process of its own, as each command runs: what the script prints. */
const inProject = async (script: string): Promise<string> => {
  const args = ['--input-type=module', '--eval', script];
  // Of a copy that is gone soon, nothing compiled is kept.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project, env });
  return stdout.trim();
};

/** Where the bundles are, or what is said instead. */
const bundles = () =>
  inProject(`
    const { makeBundles } = await import('./tools/dev/bundles.ts');
    await makeBundles().then(({ directory }) => console.log(directory), ({ message }) => console.log(message));`);

/** The template of the app, synthesized for an issuer, or what is said instead. */
const templateFor = async (issuer: string): Promise<string> => {
  const output = await mkdtemp(join(directory, 'output-'));
  const said = await inProject(`
    const { Processes } = await import('@leads-and-stars/runner');
    const { makeAssembly } = await import('./tools/dev/assembly.ts');
    const { makeBundles } = await import('./tools/dev/bundles.ts');
    const processes = new Processes();
    const options = { issuer: '${issuer}', audience: 'anyone' };
    const bundles = (await makeBundles()).directory;
    await makeAssembly('${output}', { options, bundles }, processes).catch(({ message }) => console.log(message));
    await processes.close();`);
  return said || readFile(join(output, 'LeadsAndStars.template.json'), 'utf8');
};

const kept = (kind: string) =>
  readdirSync(join(project, 'node_modules/.cache/leads-and-stars', kind));

const bundleIn = (made: string) => readFileSync(join(made, 'list-plans/function.js'), 'utf8');

test('bundles are made once of the same sources, and anew of others', async () => {
  const source = join(project, 'functions/billing/list-plans.ts');
  const first = await bundles();
  expect(await bundles()).toBe(first);
  await writeFile(source, (await readFile(source, 'utf8')).replace("'List plans'", "'List all'"));
  const second = await bundles();
  expect(second).not.toBe(first);
  expect([bundleIn(first), bundleIn(second)].map((code) => code.includes('List all'))).toEqual([
    false,
    true,
  ]);
  expect(await bundles()).toBe(second);
  expect(readdirSync(second).length).toBe(readdirSync(first).length);
});

test('what does not compile is told with its place, and is not kept', async () => {
  const source = join(project, 'functions/billing/list-plans.ts');
  const right = await readFile(source, 'utf8');
  const before = kept('bundles');
  await writeFile(source, `${right}\nconst wrong = ;\n`);
  expect(await bundles()).toMatch(/do not compile[\s\S]*list-plans\.ts:\d+:14/);
  expect(kept('bundles')).toEqual(before);
  await writeFile(source, right);
  expect(bundleIn(await bundles())).toContain('List all');
});

test('the app is synthesized once of the same sources, for any issuer, and anew of others', async () => {
  const [first, second] = ['https://localhost:1111', 'https://localhost:2222'];
  const template = await templateFor(first);
  const once = kept('assemblies');
  expect(once.length).toBe(1);
  expect(template).toContain(`"ISSUER": "${first}"`);
  expect(template).toContain(`"JWKS_URI": "${first}/.well-known/jwks.json"`);
  expect(await templateFor(second)).toBe(template.replaceAll(first, second));
  expect(kept('assemblies')).toEqual(once);

  const source = join(project, 'infra/service-stack.ts');
  const right = await readFile(source, 'utf8');
  await writeFile(source, right.replace('(prepaid credits)', '(paid before)'));
  expect(await templateFor(first)).toBe(template.replace('(prepaid credits)', '(paid before)'));
  expect(kept('assemblies').length).toBe(2);
  await writeFile(source, `${right}\nthrow new Error('not today');\n`);
  expect(await templateFor(first)).toMatch(/does not synthesize[\s\S]*not today/);
  expect(kept('assemblies').length).toBe(2);
});
