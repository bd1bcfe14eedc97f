import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './support.ts';

/** A copy of the project to change, with every package but those that are left out. */
export const copyProject = async (project: string, leftOut: string[] = []): Promise<void> => {
  for (const part of ['functions', 'infra', 'lib', 'tools', 'package.json', 'tsconfig.json']) {
    await cp(join(root, part), join(project, part), { recursive: true });
  }
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
