import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Texts of files, by their paths. */
type Sources = ReadonlyMap<string, string>;

/** Whatever is quoted like a path to a file beside this one: imports of any kind, types included. */
const relativePath = /['"`](\.{1,2}\/[^'"`\n]+\.ts)['"`]/g;

const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(relativePath)].map(([, target]) => join(dirname(path), target!));

const folderOf = (path: string): string => path.split('/')[1] ?? '';

/** Imports of a file in `lib` that do not go to its own or a lower folder. `order` begins with the lowest. */
const wrongImports = (sources: Sources, order: readonly string[]): string[] =>
  [...sources].flatMap(([path, text]) =>
    importsOf(path, text)
      .filter((target) => {
        const [from, to] = [order.indexOf(folderOf(path)), order.indexOf(folderOf(target))];
        return !target.startsWith('lib/') || from < 0 || to < 0 || to > from;
      })
      .map((target) => `${path} imports ${target}`),
  );

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
  'operations',
  'tokens',
  'organizations',
  'pipelines',
  'fields',
  'leads',
  'billing',
  'provisioning',
  'changes',
  'webhooks',
  'handlers',
];

const paths = readdirSync('lib', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('lib', path));
const sources: Sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));

const plant = (path: string, line: string): Sources =>
  new Map([...sources, [path, `${line}\n${sources.get(path) ?? ''}`]]);

test('every folder of lib is a step of the ladder', () => {
  expect(readdirSync('lib').sort()).toEqual([...order].sort());
});

test('every file imports only from its own folder and lower ones', () => {
  expect(wrongImports(sources, order)).toEqual([]);
});

test.each([
  ["import type { Webhook } from '../webhooks/webhook.ts';", 'lib/webhooks/webhook.ts'],
  ["export { change } from '../changes/change.ts';", 'lib/changes/change.ts'],
  ["const later = () => import('../handlers/queue.ts');", 'lib/handlers/queue.ts'],
  ["type Late = import('../changes/feed.ts').FeedPage;", 'lib/changes/feed.ts'],
  ["import { tags } from '../../tools/openapi/texts.ts';", 'tools/openapi/texts.ts'],
])('%s in lib/billing is found', (line, target) => {
  const planted = plant('lib/billing/wallet.ts', line);
  expect(wrongImports(planted, order)).toEqual([`lib/billing/wallet.ts imports ${target}`]);
});

test('no two folders beside each other import from each other', () => {
  expect(folderCircles(sources)).toEqual([]);
  const line = "import type { Progress } from '../delivery/delivery-rules.ts';";
  expect(folderCircles(plant('lib/webhooks/endpoint/message.ts', line)).sort()).toEqual([
    'lib/webhooks/delivery lib/webhooks/endpoint',
    'lib/webhooks/endpoint lib/webhooks/delivery',
  ]);
});

test('a folder with more than a dozen files has folders inside', () => {
  expect(crowdedFolders(paths, 12)).toEqual([]);
  const planted = Array.from({ length: 13 }, (_, i) => `lib/tokens/planted/${i}.ts`);
  expect(crowdedFolders(planted, 12)).toEqual(['lib/tokens/planted']);
  expect(crowdedFolders(planted.slice(1), 12)).toEqual([]);
});
