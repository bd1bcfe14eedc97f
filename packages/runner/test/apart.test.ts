import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

// The runner plays any app: it knows nothing of the service beside it.

const directory = join(import.meta.dirname, '..');
const source = join(directory, 'src');
const files = globSync('**/*.ts', { cwd: source }).map((file) => join(source, file));
const { dependencies, devDependencies } = JSON.parse(
  readFileSync(join(directory, 'package.json'), 'utf8'),
);

const importsOf = (text: string): string[] =>
  [...text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)].map(([, one, two]) => one ?? two!);

const isOwn = (file: string, imported: string): boolean =>
  imported.startsWith('.')
    ? resolve(file, '..', imported).startsWith(`${source}/`)
    : isBuiltin(imported) ||
      Object.keys({ ...dependencies, ...devDependencies }).includes(imported) ||
      // Types alone, which stand under @types.
      imported === 'aws-lambda';

/** Of what the service is about. */
const word = /\bleads?\b(?! (?:here|to|on))|\bstars?\b|\bpipelines?\b|\bwallets?\b/i;

test('the runner imports nothing but its own files and packages', () => {
  expect(files.length).toBeGreaterThan(30);
  const foreign = files.flatMap((file) =>
    importsOf(readFileSync(file, 'utf8'))
      .filter((imported) => !isOwn(file, imported))
      .map((imported) => [file, imported]),
  );
  expect(foreign).toEqual([]);
  expect(isOwn(files[0]!, '../../../../infra/api.ts')).toBe(false);
});

test('the runner names nothing of what the service is about', () => {
  const naming = files.filter((file) => word.test(readFileSync(file, 'utf8')));
  expect(naming).toEqual([]);
  expect(word.test('POST /v1/leads')).toBe(true);
});
