import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root } from './support.ts';

/** What a run with demo data and the tests of it need: to bundle all takes four times as long. */
const fewFunctions = [
  'apply-wallet-events',
  'create-api-key',
  'create-field',
  'create-lead',
  'follow-changes',
  'get-balance',
  'get-lead',
  'get-me',
  'get-member',
  'list-api-keys',
  'list-fields',
  'list-leads',
  'list-plans',
  'number-changes',
  'publish-changes',
  'put-organization',
  'put-plan',
  'rotate-api-key',
  'spend-stars',
  'wake-due-webhooks',
];

interface Parts {
  functions?: 'all' | 'few';
  /** Packages that are not there. */
  leftOut?: string[];
}

/** A copy of the project to change. */
export const copyProject = async (
  project: string,
  { functions = 'few', leftOut = [] }: Parts = {},
): Promise<void> => {
  for (const part of ['infra', 'lib', 'tools', 'package.json', 'tsconfig.json']) {
    await cp(join(root, part), join(project, part), { recursive: true });
  }
  await cp(join(root, 'functions'), join(project, 'functions'), {
    recursive: true,
    filter: (file) => functions === 'all' || isNoFunction(file) || isOneOfFew(file),
  });
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, '@leads-and-stars'), { recursive: true });
  // The runner finds its packages beside the copy, and not beside the original.
  const runner = join(project, 'packages/runner');
  for (const part of ['package.json', 'src']) {
    await cp(join(root, 'packages/runner', part), join(runner, part), { recursive: true });
  }
  await symlink(runner, join(modules, '@leads-and-stars/runner'));
  for (const name of await readdir(join(root, 'node_modules'))) {
    if ([...leftOut, '@leads-and-stars', '.cache'].includes(name)) continue;
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
};

const isNoFunction = (file: string) => !file.endsWith('.ts') || file.endsWith('.examples.ts');
const isOneOfFew = (file: string) => fewFunctions.includes(basename(file, '.ts'));
