import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { synthesize } from '../../infra/local/template/synthesize.ts';
import { copyProject } from '../runner/project.ts';

// So `cdk diff` is empty after `cdk deploy`, whoever runs it, wherever the project lies.

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-repeatable-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Copies the project and synthesizes the copy: the template, with the hashes of all bundles in it. */
const synthesizedIn = async (name: string, change?: (project: string) => Promise<void>) => {
  const project = join(directory, name);
  await copyProject(project);
  await change?.(project);
  await synthesize(join(project, 'infra/app.ts'), join(project, 'cdk.out'), {});
  return readFile(join(project, 'cdk.out/LeadsAndStars.template.json'), 'utf8');
};

test('two syntheses in different directories are the same; one of other code is not', async () => {
  const first = await synthesizedIn('first');
  expect(await synthesizedIn('deeper-and-elsewhere')).toBe(first);
  const changed = await synthesizedIn('changed', async (project) => {
    const file = join(project, 'functions/get-lead.ts');
    const source = await readFile(file, 'utf8');
    await writeFile(file, source.replace("ApiError('not_found')", "ApiError('forbidden')"));
  });
  expect(changed).not.toBe(first);
});
