import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// The commands that try what chance brings until their time is over, each for a moment.
// @module-tag long

const run = async (...args: string[]) => (await promisify(execFile)(process.execPath, args)).stdout;

test('npm run chaos says its seeds, what it did, and that it found nothing', async () => {
  const stdout = await run('test/faults/chaos.ts', '--seed', '7', '--minutes', '0.05');
  const [started, result = '', end] = stdout.trim().split('\n').slice(-3);
  expect(started).toMatch(/^seed \d+, \d s$/);
  expect(JSON.parse(result).faults).toBeGreaterThan(0);
  expect(end).toBe('no finding');
  expect(stdout).toContain('seed 7, 3 s');
});

test('npm run simulate says its seeds, and that it found nothing', async () => {
  const stdout = await run('test/simulation/simulate.ts', '--seed', '7', '--minutes', '0');
  expect(stdout).toMatch(/^seeds 7 to 7: [1-9]\d* writes, no finding$/m);
});
