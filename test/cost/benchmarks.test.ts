import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { billOf, totalOf } from '../bench/calls/bills.ts';
import { shownCalls } from '../bench/calls/names.ts';
import { benchCommand } from '../bench/options.ts';
import { prices, tracedShare } from '../bench/prices.ts';
import { calls } from './calls.ts';
import type { Cost } from './measure.ts';

const root = join(import.meta.dirname, '../..');
const page = () => readFile(join(root, 'docs/benchmarks.md'), 'utf8');

test('the page has of each call the units and round trips that its example says', async () => {
  const [, section = ''] = (await page()).split(/^## /m);
  const rows = [...section.matchAll(/^(.+?) \| ([\d.]+) \| ([\d.]+) \| (\d+) \| /gm)];
  const told = rows.map(([, name, ...numbers]) => [name, ...numbers.map(Number)]);
  const budgets = new Map(calls.map(({ name, budget }) => [name, budget]));
  expect(told, 'npm run bench -- --only calls writes them anew').toEqual(
    shownCalls.map((name) => [name, ...budgets.get(name)!]),
  );
});

test.each([
  ['the balance', 'getBalance, what there is'],
  ['a few stars', 'putSpend, a few stars'],
  ['a note', 'createNote, a note'],
])('%s takes an agent the units and round trips that it takes by HTTP', (agents, byHttp) => {
  const budgetOf = (wanted: string) => calls.find(({ name }) => name === wanted)?.budget;
  expect(budgetOf(`answerAgent, ${agents}`)).toEqual(budgetOf(byHttp));
  expect(budgetOf(byHttp)).toHaveLength(3);
});

test.each([
  [0.1, 1],
  [1, 1],
  [2, (1 + 0.05) / 2],
  [100, (1 + 99 * 0.05) / 100],
])('of %d invocations a second, Lambda traces %d', (perSecond, share) => {
  expect(tracedShare(perSecond)).toBeCloseTo(share, 10);
});

test('a call that changes something has three functions traced: its own, and those that number and publish', () => {
  const cost: Cost = {
    name: 'a call',
    id: 'createLead',
    read: {},
    write: {},
    trips: 0,
    requests: [],
    written: ['LEADS', 'HISTORY'],
    loggedBytes: 0,
    answerBytes: 0,
    milliseconds: 0,
  };
  const at = (perSecond: number, one = cost) =>
    totalOf(billOf(one, cost, { numbering: cost, counting: cost }, perSecond));
  const traces = (perSecond: number) => tracedShare(perSecond) * prices.tracesRecorded;
  expect(at(1) - at(100)).toBeCloseTo(3 * (traces(1) - traces(100)), 12);
  // What changes a wallet is counted as usage, by one more.
  const spend = { ...cost, written: ['WALLET', 'LEDGER'] };
  expect(at(1, spend) - at(100, spend)).toBeCloseTo(4 * (traces(1) - traces(100)), 12);
  // What writes nothing is told nowhere, and traced alone.
  const read = { ...cost, written: [] };
  expect(at(1, read) - at(100, read)).toBeCloseTo(traces(1) - traces(100), 12);
});

test('what one wallet makes of a rate is told, and the page stays', async () => {
  const before = await page();
  const args = [join(root, 'test/bench/main.ts'), '--only', 'wallet', '--rate', '7'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const figures = String.raw`0\.0 % \| \d+ \| \d+ \| \d+\.\d`;
  expect(stdout).toMatch(
    new RegExp(String.raw`^7 spends \| ${figures}\n7 spends, 25 at once \| ${figures}\n$`, 'm'),
  );
  expect(await page()).toBe(before);
});

/** What the command line makes of arguments: options, or what it says is wrong. */
const parsed = async (...args: string[]) => {
  let made: unknown;
  const command = benchCommand(['lists', 'wallet'])
    .exitOverride()
    .configureOutput({ writeErr: (text) => (made = text.trim()) })
    .action((options) => (made = options));
  await command.parseAsync(args, { from: 'user' }).catch(() => undefined);
  return made;
};

test('one section, several and a rate are taken', async () => {
  expect(await parsed()).toEqual({});
  expect(await parsed('--only', 'lists', '--only', 'wallet')).toEqual({
    only: ['lists', 'wallet'],
  });
  expect(await parsed('--only', 'wallet', '--rate', '1')).toEqual({ only: ['wallet'], rate: 1 });
  expect(await parsed('--rate', '300', '--only', 'wallet')).toEqual({
    only: ['wallet'],
    rate: 300,
  });
});

test.each([
  [['--only', 'wallet', '--rate', '0'], /It must be a whole number from 1 to 300\.$/],
  [['--only', 'wallet', '--rate', '301'], /It must be a whole number from 1 to 300\.$/],
  [['--only', 'wallet', '--rate', '1.5'], /It must be a whole number from 1 to 300\.$/],
  [['--rate', '7'], /^error: --rate goes with --only wallet$/],
  [['--only', 'lists', '--only', 'wallet', '--rate', '7'], /^error: --rate goes with/],
  [['--only', 'toString'], /Allowed choices are lists, wallet\.$/],
  [['--often', '7'], /^error: unknown option '--often'$/],
])('%j is refused in one line', async (args, told) => {
  expect(await parsed(...args)).toMatch(told);
});
