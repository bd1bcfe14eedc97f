import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './support.ts';

/** A copy of the project to change, with every package but those that are left out. */
export const copyProject = async (project: string, leftOut: string[] = []): Promise<void> => {
  for (const part of ['functions', 'infra', 'lib', 'tools', 'package.json', 'tsconfig.json']) {
    await cp(join(root, part), join(project, part), { recursive: true });
  }
  await mkdir(join(project, 'node_modules'));
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (leftOut.includes(name)) continue;
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
};
