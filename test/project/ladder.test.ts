import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crowdedFolders, folderCircles, type Sources, wrongImports } from './ladder.ts';

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
