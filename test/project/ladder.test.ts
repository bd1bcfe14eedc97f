import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Texts of files, by their paths. */
type Sources = ReadonlyMap<string, string>;

const codeFile = /\.[cm]?[jt]sx?$/;

/** Whatever is quoted like a path to a file of code beside this one: imports of any kind, types included. */
const relativePath = /['"`](\.{1,2}\/[^'"`\n]+\.[cm]?[jt]sx?)['"`]/g;
/** What is imported without an extension, by an alias, or as a package of the project. */
const otherImport =
  /\b(?:from|import|require)\s*\(?\s*['"`](\.{1,2}\/(?:[^'"`\n]*\/)?[^'"`\n.]+|[#~][^'"`\n]*|@leads-and-stars\/[^'"`\n]+)['"`]/g;

const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(relativePath), ...text.matchAll(otherImport)].map(([, target]) =>
    target!.startsWith('.') ? join(dirname(path), target!) : target!,
  );

/**
 * Imports of a file in `area` that go neither to its own or a lower folder nor to one of the areas below. `order` begins
 * with the lowest folder.
 */
const wrongImports = (
  sources: Sources,
  area: string,
  order: readonly string[],
  below: readonly string[] = [],
): string[] => {
  const placeOf = (path: string) => order.indexOf(path.split('/')[1] ?? '');
  return [...sources].flatMap(([path, text]) =>
    importsOf(path, text)
      .filter((target) => {
        if (!target.startsWith(`${area}/`)) {
          return !below.some((place) => `${target}/`.startsWith(`${place}/`));
        }
        const [from, to] = [placeOf(path), placeOf(target)];
        return from < 0 || to < 0 || to > from;
      })
      .map((target) => `${path} imports ${target}`),
  );
};

/** Imports within an area that do not go to the file's own or a lower folder. `order` has all folders, the lowest first. */
const wrongSteps = (sources: Sources, area: string, order: readonly string[]): string[] => {
  const isInArea = (path: string) => path.startsWith(`${area}/`);
  // A folder within a folder has the place of that.
  const isIn = (path: string, folder: string) =>
    dirname(path) === folder || (folder !== area && path.startsWith(`${folder}/`));
  const placeOf = (path: string) => order.findIndex((folder) => isIn(path, folder));
  return [...sources]
    .filter(([path]) => isInArea(path))
    .flatMap(([path, text]) =>
      [path, ...importsOf(path, text).filter(isInArea)]
        .filter((target) => placeOf(target) < 0 || placeOf(target) > placeOf(path))
        .map((target) => `${path} imports ${target}`),
    );
};

/** Pairs of folders beside each other in one area that import from each other. */
const folderCircles = (sources: Sources): string[] => {
  const pairs = new Set<string>();
  for (const [path, text] of sources) {
    for (const target of importsOf(path, text)) {
      const [from, to] = [dirname(path), dirname(target)];
      if (from !== to && dirname(from) === dirname(to) && dirname(from) !== 'lib') {
        pairs.add(`${from} ${to}`);
      }
    }
  }
  return [...pairs].filter((pair) => pairs.has(pair.split(' ').reverse().join(' ')));
};

/** Folders with more files than this that show nothing of what is inside by folders of their own. */
const crowdedFolders = (paths: readonly string[], most: number): string[] => {
  const files = Map.groupBy(paths, dirname);
  return [...files.keys()].filter(
    (folder) =>
      files.get(folder)!.length > most && !paths.some((path) => dirname(dirname(path)) === folder),
  );
};

/** The folders of `lib`, the lowest first: each imports only from those before it. */
const order = [
  'errors',
  'schema',
  'table',
  'facts',
  'queues',
  'operations',
  'tokens',
  'organizations',
  'admission',
  'pipelines',
  'fields',
  'leads',
  'billing',
  'stripe',
  'provisioning',
  'changes',
  'consumers',
  'usage',
  'webhooks',
  'mcp',
  'agents',
  'handlers',
];

/** The folders of `lib/billing`, the lowest first. Its own files are the highest. */
const billingOrder = [
  ...['terms', 'stored', 'rules', 'limits', 'writer', 'holds', 'events', 'spends'].map(
    (name) => `lib/billing/${name}`,
  ),
  'lib/billing',
];

/** The folders of `tools`, the lowest first: each imports only from those before it. */
const toolsOrder = [
  'check',
  'cli',
  'github',
  'unminify',
  'service',
  'webhooks',
  'admin',
  'smoke',
  'demo',
  'examples',
  'openapi',
  'dev',
];

const sourcesOf = (area: string): Sources =>
  new Map(
    readdirSync(area, { recursive: true, encoding: 'utf8' })
      .filter((path) => codeFile.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
      .map((path) => join(area, path))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );
const sources = sourcesOf('lib');
const paths = [...sources.keys()];

const plant = (path: string, line: string): Sources =>
  new Map([...sources, [path, `${line}\n${sources.get(path) ?? ''}`]]);

test('every folder of lib is a step of the ladder', () => {
  expect(readdirSync('lib').sort()).toEqual([...order].sort());
});

test('every file imports only from its own folder and lower ones', () => {
  expect(wrongImports(sources, 'lib', order)).toEqual([]);
});

test.each([
  ["import type { Webhook } from '../webhooks/webhook.ts';", 'lib/webhooks/webhook.ts'],
  ["export { change } from '../changes/change.ts';", 'lib/changes/change.ts'],
  ["const later = () => import('../handlers/queue.ts');", 'lib/handlers/queue.ts'],
  ["type Late = import('../changes/feed.ts').FeedPage;", 'lib/changes/feed.ts'],
  ["import { tags } from '../../tools/openapi/texts.ts';", 'tools/openapi/texts.ts'],
  // The compiler and the bundler find the file of TypeScript for these, too.
  ["import type { Webhook } from '../webhooks/webhook.js';", 'lib/webhooks/webhook.js'],
  ["const late = require('../webhooks/webhook');", 'lib/webhooks/webhook'],
  ["import '../../tools/cli/compile-cache.js';", 'tools/cli/compile-cache.js'],
  ["import type { LocalQueue } from '@leads-and-stars/runner';", '@leads-and-stars/runner'],
  ["const client = await import('@leads-and-stars/client');", '@leads-and-stars/client'],
  ["import { tags } from '#tools/texts';", '#tools/texts'],
])('%s in lib/billing is found', (line, target) => {
  const planted = plant('lib/billing/plans.ts', line);
  expect(wrongImports(planted, 'lib', order)).toEqual([`lib/billing/plans.ts imports ${target}`]);
});

test('a tool imports only from its own folder and lower ones, and from what is below the tools', () => {
  expect(readdirSync('tools').sort()).toEqual([...toolsOrder].sort());
  const tools = sourcesOf('tools');
  const below = ['lib', 'functions', 'infra', '@leads-and-stars/runner'];
  const wrong = (from: Sources) => wrongImports(from, 'tools', toolsOrder, below);
  expect(wrong(tools)).toEqual([]);
  const path = 'tools/service/service.ts';
  const line = "import { makeDemo } from '../demo/demo.ts';\n";
  expect(wrong(new Map([...tools, [path, line + tools.get(path)]]))).toEqual([
    `${path} imports tools/demo/demo.ts`,
  ]);
});

/** What each other room may import from, beside itself. */
test.each([
  ['functions', ['lib']],
  ['infra', ['lib', 'functions']],
  ['packages/client/src', []],
  ['packages/runner/src', []],
])('%s imports only from itself and %j', (area, below) => {
  const wrong = (from: Sources) => wrongImports(from, 'no folders', [], [area, ...below]);
  const all = sourcesOf(area);
  expect(all.size).toBeGreaterThan(30);
  expect(wrong(all)).toEqual([]);
  for (const target of ['tools/cli/run.ts', 'test/support/api.ts', 'infrared/a.ts']) {
    const planted = new Map([['planted.ts', `import { x } from './${target}';`]]);
    expect(wrong(planted)).toEqual([`planted.ts imports ${target}`]);
  }
});

test('no two folders beside each other import from each other', () => {
  expect(folderCircles(sources)).toEqual([]);
  const line = "import type { Progress } from '../delivery/delivery-rules.ts';";
  expect(folderCircles(plant('lib/webhooks/endpoint/message.ts', line)).sort()).toEqual([
    'lib/webhooks/delivery lib/webhooks/endpoint',
    'lib/webhooks/endpoint lib/webhooks/delivery',
  ]);
});

test('within billing, every file imports only from its own folder and lower ones', () => {
  expect(wrongSteps(sources, 'lib/billing', billingOrder)).toEqual([]);
});

test.each([
  ['lib/billing/rules/step.ts', '../writer/reads.ts', 'lib/billing/writer/reads.ts'],
  ['lib/billing/holds/hold.ts', '../plans.ts', 'lib/billing/plans.ts'],
  ['lib/billing/terms/fields.ts', '../spends/spend.ts', 'lib/billing/spends/spend.ts'],
])('%s may not import %s', (path, line, target) => {
  const planted = plant(path, `import type { X } from '${line}';`);
  expect(wrongSteps(planted, 'lib/billing', billingOrder)).toEqual([`${path} imports ${target}`]);
});

test('a folder of billing that has no place in the order is found', () => {
  const planted = plant('lib/billing/planted/one.ts', '');
  const found = 'lib/billing/planted/one.ts';
  expect(wrongSteps(planted, 'lib/billing', billingOrder)).toEqual([`${found} imports ${found}`]);
});

test('a folder with more than a dozen files has folders inside', () => {
  expect(crowdedFolders(paths, 12)).toEqual([]);
  const planted = Array.from({ length: 13 }, (_, i) => `lib/tokens/planted/${i}.ts`);
  expect(crowdedFolders(planted, 12)).toEqual(['lib/tokens/planted']);
  expect(crowdedFolders(planted.slice(1), 12)).toEqual([]);
});
