import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// What other systems need, as far as it can be seen on this one.

const root = join(import.meta.dirname, '../..');

/** What is imported while a program runs, but modules by their names. */
const importedIn = (code: string): string[] =>
  [...code.matchAll(/\bimport\((?:\/\*.*?\*\/)?\s*([^'"\s][^)]*)/g)].map(([, what = '']) => what);
const isByUrl = (what: string) => /^(`\$\{)?(pathToFileURL\(|url$)/.test(what);

test('a file is imported by its URL: on Windows, its path is no address of a module', () => {
  const code = '{functions,infra,lib,tools,packages/*/src,test/{unit,setup,support}}/**/*.{ts,js}';
  const imported = globSync(code, { cwd: root, exclude: ['**/node_modules/**'] }).flatMap((file) =>
    importedIn(readFileSync(join(root, file), 'utf8')).map((what) => `${file}: ${what}`),
  );
  expect(imported.length).toBeGreaterThan(3);
  expect(imported.filter((one) => !isByUrl(one.replace(/^.*?: /, '')))).toEqual([]);
  const found = importedIn("import(file); import('./a.ts'); import(url)");
  expect(found.map(isByUrl)).toEqual([false, true]);
});
