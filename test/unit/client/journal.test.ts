import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliError } from '../../../packages/client/src/cli/cli-error.ts';
import { type Done, digestOf, Journal } from '../../../packages/client/src/cli/journal.ts';
import { fileOf, makeDirectory, withStillClock } from './support.ts';

const open = (file: string) => Journal.open(file, {} as never, true);

const doneOf = (batch: number): Done => ({
  batch,
  counts: { created: 1, updated: 0, unchanged: 0 },
  refused: [],
});

const start = '{"start":{"id":"i"}}\n';
const done = `${JSON.stringify({ done: doneOf(0) })}\n`;
const opened = async (text: string) => {
  const file = await fileOf('state', text);
  return { file, text: () => readFile(file, 'utf8'), open: () => open(file) };
};

test.each([
  ['is empty', ''],
  ['has an empty line', '\n'],
  ['has no start', done],
  ['has a line in it that was cut off', `${start}{"sent":0,"a${done}${done}`],
])('a journal that is there and %s is refused by its name, and stays', async (_, text) => {
  const journal = await opened(text);
  expect(journal.open).toThrow(CliError);
  expect(journal.open).toThrow(`${journal.file} is damaged`);
  expect(await journal.text()).toBe(text);
});

test('a journal that is there goes on with the same keys, without a last line that was cut off', async () => {
  const journal = await opened(`${start}${done}{"sent":1,"a`);
  const reopened = journal.open();
  expect([...reopened.done.keys()]).toEqual([0]);
  // By what is in the file alone: a repeat has its key, whichever process sends it.
  expect(reopened.keyOf(1)).toBe('fa19c86c-efac-809f-9fd7-b31cc61047a2');
  expect(await journal.text()).toBe(start + done);
  // What is sent again of a batch is another request.
  expect(reopened.keyOf(1, 0)).toBe(reopened.keyOf(1));
  const rounds = [0, 1, 2].map((round) => reopened.keyOf(1, round));
  expect(new Set([...rounds, reopened.keyOf(11), reopened.keyOf(2)]).size).toBe(5);
});

test('a journal is removed once, and a second time it is gone already', async () => {
  const journal = await opened(start);
  const reopened = journal.open();
  for (let times = 0; times < 2; times++) reopened.remove();
  await expect(journal.text()).rejects.toThrow('ENOENT');
});

test('a journal that can’t be read is not called damaged', async () => {
  const path = await makeDirectory();
  expect(() => open(path('.'))).toThrow('EISDIR');
});

test('a file is known by what is in it', async () => {
  expect(await digestOf(await fileOf('leads.csv', 'abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
  expect(await digestOf(await fileOf('other.csv', 'x'.repeat(200_000)))).not.toBe(
    await digestOf(await fileOf('other.csv', 'x'.repeat(200_001))),
  );
});

test.each([
  [0, true],
  [1, false],
])(
  'an import that was interrupted a day ago, less ten minutes and %i ms more, goes on: %s',
  async (more, goesOn) => {
    withStillClock();
    const sent = { sent: 0, at: Date.now() - (24 * 60 - 10) * 60_000 - more };
    const file = await fileOf('state', `{"start":{"id":"i"}}\n${JSON.stringify(sent)}\n`);
    const reopen = () => Journal.open(file, {} as never, false);
    if (goesOn) expect(reopen).not.toThrow();
    else expect(reopen).toThrow(/interrupted more than 24 hours ago/);
  },
);

test('a journal that could not be written once is not written any more: a part of a line may be at its end', async () => {
  const path = await makeDirectory();
  const [here, away] = [path('here'), path('away')];
  await mkdir(here);
  const file = join(here, 'state');
  const journal = open(file);
  journal.sending(0);
  const before = await readFile(file, 'utf8');
  await rename(here, away);
  expect(() => journal.sending(1)).toThrow(`${file} can’t be written: ENOENT`);
  await rename(away, here);
  expect(() => journal.noteOutcomes(doneOf(0))).toThrow(`${file} can’t be written: ENOENT`);
  expect(await readFile(file, 'utf8')).toBe(before);
  expect(journal.done.size).toBe(0);
  // Started again, it goes on.
  const next = open(file);
  next.noteOutcomes(doneOf(0));
  expect([...open(file).done.keys()]).toEqual([0]);
});

test('of two imports that begin one journal, the second is refused: with keys of its own it would bring all rows again', async () => {
  const path = await makeDirectory();
  const file = path('state');
  const identity = {
    // Another one begins after this one has found no journal.
    get user_id() {
      open(file).sending(0);
      return 'u';
    },
  };
  expect(() => Journal.open(file, identity as never, true)).toThrow('another import of this file');
  expect(open(file).mayHaveStored).toBe(true);
  expect(await readdir(path('.'))).toEqual(['state']);
});
