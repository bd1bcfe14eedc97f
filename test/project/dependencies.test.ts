import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

/** The root's, and those that some commands and tests install for themselves. */
const locks = [
  '.',
  'packages/runner/test/runtime',
  'test/project/mutation',
  'test/systems/mcp',
  'tools/check',
];

/** Package names and versions, of one package of the project; not its own. */
const directOf = (directory: string): [string, string][] => {
  const declared = JSON.parse(read(join(directory, 'package.json')));
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
  return kinds
    .flatMap((kind) => Object.entries<string>(declared[kind] ?? {}))
    .filter(([name]) => !name.startsWith('@leads-and-stars/'));
};

interface Locked {
  resolved?: string;
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  hasInstallScript?: boolean;
}

/** What a lock file has installed, by its path. */
const lockedIn = (directory: string): [string, Locked][] =>
  Object.entries<Locked>(JSON.parse(read(join(directory, 'package-lock.json'))).packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  );

test('every direct dependency is pinned, and has its reason in the list, which has no other', () => {
  const direct = ['packages/client', 'packages/runner', ...locks].flatMap(directOf);
  // Such as: - `csv-parse`, `csv-stringify`: CSV of imports and exports
  const lines = [...read('docs/dependencies.md').matchAll(/^- (`.+`.*?): \S/gm)];
  const named = lines.flatMap(([, names]) =>
    [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
  expect(named.length).toBeGreaterThan(30);
  expect([...new Set(named)].sort()).toEqual([...new Set(direct.map(([name]) => name))].sort());
  expect(
    direct.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
  ).toEqual([]);
});

test.each(locks)(
  'the lock file of %s holds each package by its digest, not by an address',
  (directory) => {
    // The registry that wrote the file did not have the engine for other platforms.
    const isExcepted = (path: string) => /^node_modules\/@dynoxide\/(?!linux-x64$)/.test(path);
    const all = lockedIn(directory);
    const without = all.filter(
      ([path, { integrity, inBundle }]) =>
        !inBundle && !integrity?.startsWith('sha512-') && !isExcepted(path),
    );
    expect(all.length).toBeGreaterThan(1);
    expect([without, all.filter(([, { resolved }]) => resolved)]).toEqual([[], []]);
  },
);

test('npm ci installs at most 300 packages, those that are packed into others included', () => {
  const takes = (wanted: string[] | undefined, mine: string) => !wanted || wanted.includes(mine);
  const isForLinux = ([, { os, cpu, libc }]: [string, Locked]) =>
    takes(os, 'linux') && takes(cpu, 'x64') && takes(libc, 'glibc');
  const installed = ['.', 'packages/runner/test/runtime'].flatMap(lockedIn).filter(isForLinux);
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.length).toBeLessThanOrEqual(300);
});

test('npm is told of each package with an install script whether it may run', () => {
  const withScripts = lockedIn('.')
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/.*node_modules\//, ''));
  const { allowScripts } = JSON.parse(read('package.json'));
  expect(Object.keys(allowScripts).sort()).toEqual(withScripts.sort());
});
