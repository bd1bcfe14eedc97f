import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ownDirectory } from '../../packages/runner/test/support.ts';
import { keptTemplate } from '../../tools/service/kept-template.ts';

const directory = ownDirectory();
const project = join(directory, 'project');
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), text);
};

beforeEach(() => {
  rmSync(project, { recursive: true, force: true });
  for (const file of ['package-lock.json', 'infra/app.ts', 'lib/a/b.ts', 'functions/a.ts']) {
    write(file, `first ${file}`);
  }
});

let made = 0;
/** Whether it had to be made. */
const isMade = async (options: object = {}): Promise<boolean> => {
  const before = made;
  const text = await keptTemplate(project, options, async () => `template ${++made}`);
  expect(text).toMatch(/^template \d+$/);
  return made > before;
};

test('a template is made once of the same sources and options', async () => {
  expect([await isMade(), await isMade(), await isMade({ a: 1 })]).toEqual([true, false, true]);
  expect([await isMade({ a: 1 }), await isMade()]).toEqual([false, false]);
});

test.each<[string, () => void]>([
  ['another file', () => write('lib/a/c.ts', '')],
  ['another text in a file', () => write('functions/a.ts', 'second')],
  ['a file less', () => rmSync(join(project, 'lib/a/b.ts'))],
  ['other packages', () => write('package-lock.json', 'second')],
  [
    'the same text at another place',
    () => {
      write('infra/app.ts', 'first lib/a/b.ts');
      write('lib/a/b.ts', 'first infra/app.ts');
    },
  ],
])('a template is made anew of %s', async (_what, change) => {
  await isMade();
  change();
  expect([await isMade(), await isMade()]).toEqual([true, false]);
});

test('what no template is made of makes none', async () => {
  await isMade();
  write('docs/api.md', 'second');
  expect(await isMade()).toBe(false);
});

test('one that can’t be made is not kept', async () => {
  await expect(keptTemplate(project, {}, () => Promise.reject(new Error('no')))).rejects.toThrow();
  expect(await isMade()).toBe(true);
});

test('ten are kept: those that were used last', async () => {
  for (let n = 0; n < 10; n++) await isMade({ n });
  const kept = join(project, 'node_modules/.cache/templates');
  for (const name of readdirSync(kept)) utimesSync(join(kept, name), 0, 0);
  for (const n of [3, 7]) expect(await isMade({ n })).toBe(false);
  for (let n = 10; n < 18; n++) await isMade({ n });
  expect(readdirSync(kept)).toHaveLength(10);
  for (const n of [3, 7, 17]) expect(await isMade({ n })).toBe(false);
  expect(await isMade({ n: 0 })).toBe(true);
});
