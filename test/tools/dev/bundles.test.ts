import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
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

/** In a process of its own, as each command makes them: where they are, or what is said instead. */
const bundles = async (): Promise<string> => {
  const script = `
    const { makeBundles } = await import('./tools/dev/bundles.ts');
    await makeBundles().then(({ directory }) => console.log(directory), ({ message }) => console.log(message));`;
  const args = ['--input-type=module', '--eval', script];
  // Of a copy that is gone soon, nothing compiled is kept.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project, env });
  return stdout.trim();
};

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
  const kept = () => readdirSync(join(project, 'node_modules/.cache/leads-and-stars/bundles'));
  const before = kept();
  await writeFile(source, `${right}\nconst wrong = ;\n`);
  expect(await bundles()).toMatch(/do not compile[\s\S]*list-plans\.ts:\d+:14/);
  expect(kept()).toEqual(before);
  await writeFile(source, right);
  expect(bundleIn(await bundles())).toContain('List all');
});
