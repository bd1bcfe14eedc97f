import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assertFree, writeText } from '../../../packages/client/src/cli/output.ts';
import { makeDirectory, printed } from './support.ts';

// Where texts are written. What leads are written as: exported-leads.test.ts. Two at once, and pipes: export.test.ts.

async function* texts() {
  yield 'a\n';
  yield 'b\n';
}

test('without a file, texts go to standard output, which stays open', async () => {
  const twice = async () => {
    await writeText(undefined, texts);
    await writeText(undefined, texts);
  };
  expect(await printed(twice)).toBe('a\nb\na\nb\n');
});

test('a file is whole, for its user alone, and nothing is beside it', {
  tags: ['posix'],
}, async () => {
  const path = await makeDirectory();
  await writeText(path('all.csv'), texts);
  expect(readFileSync(path('all.csv'), 'utf8')).toBe('a\nb\n');
  expect(statSync(path('all.csv')).mode & 0o777).toBe(0o600);
  expect(readdirSync(path('.'))).toEqual(['all.csv']);
});

test('a device that the user or root made is written into', { tags: ['posix'] }, async () => {
  await writeText('/dev/null', texts);
  expect(statSync('/dev/null').isFile()).toBe(false);
});

test('what can’t be written is told by its name, and what fails before is told as it is', async () => {
  const path = await makeDirectory();
  await expect(writeText(path('no/all.csv'), texts)).rejects.toThrow(
    `There is no folder ${path('no')}.`,
  );
  mkdirSync(path('directory'));
  await expect(writeText(path('directory'), texts, true)).rejects.toThrow(
    /directory can’t be written: /,
  );
  expect(readdirSync(path('.'))).toEqual(['directory']);
});

test('of what fails nothing is left, however soon it does', async () => {
  const path = await makeDirectory();
  for (let i = 0; i < 20; i++) {
    const failing = writeText(path(`${i}.csv`), async function* () {
      if (i % 2) yield 'a\n';
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow(/^refused$/);
  }
  // What would come late has time to: this takes a thread of its own, too.
  await writeText(path('all.csv'), texts);
  expect(readdirSync(path('.'))).toEqual(['all.csv']);
});

test('a file that is there is kept, unless it is to be replaced, also where it came meanwhile', async () => {
  const path = await makeDirectory();
  const isThere = `${path('all.csv')} is there already, and is kept.`;
  const coming = writeText(path('all.csv'), async function* () {
    yield 'a\n';
    writeFileSync(path('all.csv'), 'other');
  });
  await expect(coming).rejects.toThrow(isThere);
  expect(() => assertFree(path('all.csv'))).toThrow(isThere);
  for (const file of [undefined, path('new.csv'), '-']) {
    expect(() => assertFree(file)).not.toThrow();
  }
  expect(() => assertFree(path('all.csv'), true)).not.toThrow();
  // No file takes the place of a folder.
  for (const force of [false, true]) {
    expect(() => assertFree(path('.'), force)).toThrow('is a folder. Name a file in it.');
  }
  await writeText(path('all.csv'), texts, true);
  expect(readFileSync(path('all.csv'), 'utf8')).toBe('a\nb\n');
  expect(readdirSync(path('.'))).toEqual(['all.csv']);
});
