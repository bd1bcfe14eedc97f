import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');

test('every direct dependency is pinned, and has its reason in the list, which has no other', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const direct = { ...dependencies, ...devDependencies, ...optionalDependencies };
  const reasons = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)];
  const named = reasons.map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.sort()).toEqual(Object.keys(direct).sort());
  for (const [, name, reason] of reasons) expect([name, reason]).not.toEqual([name, '']);
  expect(
    Object.values<string>(direct).filter((version) => !/^\d+\.\d+\.\d+$/.test(version)),
  ).toEqual([]);
});
