import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

/** Package names and versions, of one package of the project; not its own. */
const directOf = (directory: string): [string, string][] => {
  const declared = JSON.parse(read(join(directory, 'package.json')));
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
  return kinds
    .flatMap((kind) => Object.entries<string>(declared[kind] ?? {}))
    .filter(([name]) => !name.startsWith('@leads-and-stars/'));
};

test('every direct dependency is pinned, and has its reason in the list, which has no other', () => {
  const direct = [
    '.',
    'packages/client',
    'packages/runner',
    'test/bench',
    'packages/runner/test/runtime',
  ].flatMap(directOf);
  const reasons = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
  const named = reasons.map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(30);
  expect(named.sort()).toEqual([...new Set(direct.map(([name]) => name))].sort());
  expect(direct.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test.each(['.', 'test/bench', 'packages/runner/test/runtime'])(
  'the lock file of %s names no address to download from',
  (directory) => {
    const { packages } = JSON.parse(read(join(directory, 'package-lock.json')));
    const all = Object.values<{ resolved?: string; link?: boolean }>(packages);
    expect(all.length).toBeGreaterThan(4);
    expect(all.filter(({ resolved, link }) => resolved && !link)).toEqual([]);
  },
);

test('each package is held by its digest, but two tools for other platforms', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  interface Locked {
    integrity?: string;
    link?: boolean;
    inBundle?: boolean;
    optional?: boolean;
  }
  const installed = Object.entries<Locked>(packages).filter(
    ([path, { link, inBundle }]) => path.includes('node_modules/') && !link && !inBundle,
  );
  expect(installed.length).toBeGreaterThan(500);
  const isExcepted = ([path, { optional }]: [string, Locked]) =>
    optional && /^node_modules\/@(biomejs|dynoxide)\/(?!linux-x64$|cli-linux-x64$)/.test(path);
  const without = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(without.filter((one) => !isExcepted(one))).toEqual([]);
});

test('npm is told of each package with an install script whether it may run', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  const withScripts = Object.entries<{ hasInstallScript?: boolean }>(packages)
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    .map(([path]) => path.replace(/.*node_modules\//, ''));
  const { allowScripts } = JSON.parse(read('package.json'));
  expect(Object.keys(allowScripts).sort()).toEqual(withScripts.sort());
});
