import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

// The runner plays any app: it knows nothing of the service beside it.

const directory = join(import.meta.dirname, '..');
const filesIn = (part: string): string[] =>
  globSync(`${part}/**/*.ts`, { cwd: directory, exclude: ['**/node_modules/**'] }).map((file) =>
    join(directory, file),
  );
const source = filesIn('src');
const tests = filesIn('test');
const { name, dependencies, devDependencies } = JSON.parse(
  readFileSync(join(directory, 'package.json'), 'utf8'),
);

const importsOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|import) '([^']+)'|\bimport\('([^']+)'\)/g)].map(
    ([, one, two]) => one ?? two!,
  );

/** Whether a file of a directory may import it: a file of there, a package that is named, or Node.js itself. */
const isOwn = (within: string, packages: object) => (file: string, imported: string) => {
  if (imported.startsWith('.')) return resolve(file, '..', imported).startsWith(`${within}/`);
  const [first = '', second] = imported.split('/');
  const package_ = first.startsWith('@') ? `${first}/${second}` : first;
  // Types alone stand under @types.
  return isBuiltin(imported) || package_ in packages || `@types/${package_}` in packages;
};
const types = { '@types/aws-lambda': '' };
const ofSource = isOwn(join(directory, 'src'), { ...dependencies, ...types });
const ofTests = isOwn(directory, { ...dependencies, ...devDependencies, [name]: '' });

const foreign = (files: string[], own: typeof ofSource) =>
  files.flatMap((file) =>
    importsOf(readFileSync(file, 'utf8'))
      .filter((imported) => !own(file, imported))
      .map((imported) => [file, imported]),
  );

test('the runner imports nothing but its own files and packages', () => {
  expect(source.length).toBeGreaterThan(30);
  expect(foreign(source, ofSource)).toEqual([]);
  expect(ofSource(source[0]!, '../../../../infra/api.ts')).toBe(false);
  expect(ofSource(source[0]!, 'vitest')).toBe(false);
  const imports = `import './a.ts';\nimport b from './b.ts';\nawait import('./c.ts');`;
  expect(importsOf(imports)).toEqual(['./a.ts', './b.ts', './c.ts']);
});

test('its tests do not either: they have an app of their own', () => {
  expect(tests.length).toBeGreaterThan(10);
  expect(foreign(tests, ofTests)).toEqual([]);
  expect(ofTests(import.meta.filename, '../../../test/support/table.ts')).toBe(false);
});

/** Of what the service is about. */
const word =
  /\bleads?\b(?! (?:here|to|on))(?!-and-stars)|(?<!-and-)\bstars?\b|\bpipelines?\b|\bwallets?\b/i;

test('the runner and its tests name nothing of what the service is about', () => {
  const others = tests.filter((file) => file !== import.meta.filename);
  const naming = [...source, ...others].filter((file) => word.test(readFileSync(file, 'utf8')));
  expect(naming).toEqual([]);
  expect(word.test('POST /v1/leads')).toBe(true);
});
