import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const directory = join(import.meta.dirname, '..');
const { name, dependencies, devDependencies } = JSON.parse(
  readFileSync(join(directory, 'package.json'), 'utf8'),
);

const importsOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|import) '([^']+)'|\bimport\('([^']+)'\)/g)].map(
    ([, one, two]) => one ?? two!,
  );

test.each<[part: string, within: string, packages: object]>([
  // Types alone stand under @types.
  ['src', 'src', { ...dependencies, 'aws-lambda': '' }],
  ['test', '.', { ...dependencies, ...devDependencies, 'aws-lambda': '', [name]: '' }],
])('the runner plays any app: its %s imports nothing of the service', (part, within, packages) => {
  const isOwn = (file: string, imported: string) => {
    if (imported.startsWith('.')) {
      return resolve(file, '..', imported).startsWith(`${resolve(directory, within)}/`);
    }
    const [first = '', second] = imported.split('/');
    return (
      isBuiltin(imported) || (first.startsWith('@') ? `${first}/${second}` : first) in packages
    );
  };
  const files = globSync(`${part}/**/*.ts`, {
    cwd: directory,
    exclude: ['**/node_modules/**'],
  }).map((file) => join(directory, file));
  const foreign = files.flatMap((file) =>
    importsOf(readFileSync(file, 'utf8')).filter((imported) => !isOwn(file, imported)),
  );
  expect(foreign).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
  expect(isOwn(files[0]!, '../../../../infra/api.ts')).toBe(false);
});
