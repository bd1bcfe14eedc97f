import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { copyProject } from '../tools/dev/project.ts';
import type { Resources } from './template/references.ts';

// So `cdk diff` is empty after `cdk deploy`, whoever runs it, wherever the project lies.
// @module-tag long

const service = inject('service');
const stack = 'LeadsAndStars';
const options = {
  issuer: service.issuer,
  audience: service.audience,
  cors_origins: ['https://first.example', service.pageOrigin],
  requests_per_second: 2500,
};
const context = {
  'runner:options': JSON.stringify(options),
  'runner:webhooks_to_localhost': 'true',
};

let directory: string;
let ofService: string;

beforeAll(async () => {
  // `template.test.ts` validates, and that takes most of the time.
  process.env.CDK_VALIDATION = 'false';
  directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-repeatable-'));
  // Of copies that are gone soon, nothing compiled is kept.
  vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1');
  const output = join(directory, 'here');
  await synthesize(join(import.meta.dirname, '../../infra/app.ts'), output, context);
  ofService = await readFile(join(output, `${stack}.template.json`), 'utf8');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

/** Copies the project and synthesizes the copy: the template, with the hashes of all bundles in it. */
const synthesizedIn = async (name: string, change?: (project: string) => Promise<void>) => {
  const project = join(directory, name);
  await copyProject(project, { functions: 'all' });
  await change?.(project);
  await synthesize(join(project, 'infra/app.ts'), join(project, 'cdk.out'), context);
  return readFile(join(project, `cdk.out/${stack}.template.json`), 'utf8');
};

test('a synthesis in another directory is the same, with the same bundles', async () => {
  expect(await synthesizedIn('deeper/and-elsewhere')).toBe(ofService);
});

/** The bundle of an operation, by its hash. */
const bundleOf = (template: string, operation: string): string => {
  const { Resources } = JSON.parse(template) as { Resources: Resources };
  const functions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  const { Properties } = functions.find(
    (one) => one.Properties.FunctionName === `${stack}-${operation}`,
  )!;
  return Properties.Code.S3Key;
};

test('other code is another bundle, and only where it is', async () => {
  const changed = await synthesizedIn('changed', async (project) => {
    const functions = join(project, 'functions');
    const kept = ['leads/get-lead.ts', 'organizations/get-member.ts'];
    for (const file of globSync('*/*.ts', { cwd: functions })) {
      if (!kept.includes(file)) await rm(join(functions, file));
    }
    const file = join(functions, 'leads/get-lead.ts');
    const source = await readFile(file, 'utf8');
    const other = source.replace('path.lead_id', "path.lead_id + ''");
    expect(other).not.toBe(source);
    await writeFile(file, other);
  });
  expect(bundleOf(changed, 'getMember')).toBe(bundleOf(ofService, 'getMember'));
  expect(bundleOf(changed, 'getLead')).not.toBe(bundleOf(ofService, 'getLead'));
});
