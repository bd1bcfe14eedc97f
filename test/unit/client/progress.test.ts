import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Progress } from '../../../packages/client/src/cli/progress.ts';

let written: string[];
const { isTTY } = process.stderr;

beforeEach(() => {
  written = [];
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.mocked(process.stderr.write).mockRestore();
  process.stderr.isTTY = isTTY;
  vi.useRealTimers();
});

/** What was written since the last time. */
const told = () => written.splice(0);
const after = (seconds: number, progress: Progress, rows: number) => {
  vi.setSystemTime(Date.now() + seconds * 1000);
  progress.add(rows);
  return told();
};

const bar = (full: number) => '█'.repeat(full) + '░'.repeat(24 - full);

test('elsewhere than on a terminal it is a line every ten seconds', () => {
  process.stderr.isTTY = false;
  const progress = new Progress(1000);
  // The first is at once.
  expect(after(1, progress, 100)).toEqual([`${bar(2)} 100 of 1000 rows, 100 rows/s, 9 s left\n`]);
  expect(after(9.999, progress, 100)).toEqual([]);
  expect(after(0.001, progress, 50)).toEqual([
    `${bar(6)} 250 of 1000 rows, 23 rows/s, 33 s left\n`,
  ]);
  progress.end();
  expect(told()).toEqual([]);
});

test('on a terminal it is a line that is written over, ten times a second at most, and removed at the end', () => {
  process.stderr.isTTY = true;
  const progress = new Progress(24);
  const line = (full: number, rest: string) => `\r\u001b[K${bar(full)} ${rest}`;
  expect(after(1, progress, 1)).toEqual([line(1, '1 of 24 rows, 1 rows/s, 23 s left')]);
  expect(after(0.099, progress, 1)).toEqual([]);
  expect(after(0.001, progress, 10)).toEqual([line(12, '12 of 24 rows, 11 rows/s, 2 s left')]);
  progress.end();
  expect(told()).toEqual(['\r\u001b[K']);
});

test('the rate is of this run, and long times are in minutes', () => {
  process.stderr.isTTY = false;
  const progress = new Progress(1000, 500);
  expect(after(10, progress, 10)).toEqual([`${bar(12)} 510 of 1000 rows, 1 rows/s, 9 min left\n`]);
  const nothing = new Progress(1000);
  expect(after(10, nothing, 0)).toEqual([`${bar(0)} 0 of 1000 rows, 0 rows/s, ? left\n`]);
  expect(after(80, nothing, 500)).toEqual([`${bar(12)} 500 of 1000 rows, 6 rows/s, 2 min left\n`]);
  expect(after(10, new Progress(890), 90)).toEqual([
    `${bar(2)} 90 of 890 rows, 9 rows/s, 89 s left\n`,
  ]);
  const empty = new Progress(0);
  expect(after(0, empty, 0)).toEqual([`${bar(24)} 0 of 0 rows, 0 rows/s, ? left\n`]);
});
