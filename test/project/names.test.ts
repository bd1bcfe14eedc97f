import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

const declaration =
  /^export (?:declare )?(?:(?:abstract )?class|const|let|enum|(?:async )?function\*?|interface|type) (\w+)/gm;

/** A type that is declared in a file, exported or not: who reads of it must not wonder which. */
const typeDeclaration =
  /^(?:export )?(?:declare )?(?:(?:abstract )?class|enum|interface|type) (\w+)/gm;

/** Names that more than one of these texts exports, with the paths. What is exported once more is no name of its own. */
const namedTwice = (
  sources: Iterable<readonly [path: string, text: string]>,
  pattern = declaration,
): string[] => {
  const paths = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    for (const [, name = ''] of text.matchAll(pattern)) {
      paths.set(name, (paths.get(name) ?? new Set()).add(path));
    }
  }
  return [...paths].flatMap(([name, all]) =>
    all.size > 1 ? `${name}: ${[...all].sort().join(', ')}` : [],
  );
};

const sourcesOf = (...patterns: string[]) =>
  globSync(patterns, {
    cwd: root,
    exclude: ['**/node_modules/**', 'packages/client/src/schema.ts'],
  }).map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
const sources = sourcesOf('lib/**/*.ts');

// Files of operations all export `operation` and `handler`. A command of the administrator may be named as a thing of lib.
test.each([
  'lib/**/*.ts',
  '{infra,tools}/**/*.ts',
  'packages/client/src/**/*.ts',
  'packages/runner/src/**/*.ts',
])('no two files of %s export the same name', (pattern) => {
  const all = sourcesOf(pattern);
  expect(all.length).toBeGreaterThan(30);
  expect(namedTwice(all)).toEqual([]);
});

test.each([
  'export const listedLead = 1;',
  'export type Lead = 1;',
  'export interface Lead {}',
  'export function listedLead() {}',
  'export async function listedLead() {}',
  'export class Lead {}',
])('%s in another file is found', (line) => {
  const [, name] = /(\w*Lead)\b/.exec(line)!;
  expect(namedTwice([...sources, ['lib/other.ts', line]])).toEqual([
    expect.stringMatching(new RegExp(`^${name}: lib/leads/.*, lib/other.ts$`)),
  ]);
});

test('what is exported once more, or only within a file, has no second name', () => {
  const lines =
    "export { listedLead } from './leads/stored-lead.ts';\nconst listedLead = 1;\ntype Lead = 1;\n";
  expect(namedTwice([...sources, ['lib/other.ts', lines]])).toEqual([]);
  expect(namedTwice([['a.ts', 'export function f(): 1;\nexport function f() {}']])).toEqual([]);
});

/** What is read as a whole: the service with its tools, and each package. */
const programs = [
  ['{lib,functions,infra,tools}/**/*.ts'],
  ['packages/client/src/**/*.ts'],
  ['packages/runner/src/**/*.ts'],
];

test.each(programs)('no two files of %s have a type of the same name', (pattern) => {
  const all = sourcesOf(pattern);
  expect(all.length).toBeGreaterThan(30);
  expect(namedTwice(all, typeDeclaration)).toEqual([]);
  const [name] = all.flatMap(([, text]) => [...text.matchAll(typeDeclaration)].map(([, of]) => of));
  expect(namedTwice([...all, ['other.ts', `interface ${name} {}`]], typeDeclaration)).toEqual([
    expect.stringMatching(new RegExp(`^${name}: .*other.ts`)),
  ]);
});
