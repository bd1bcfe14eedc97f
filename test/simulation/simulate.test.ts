import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// @module-tag long

test('npm run simulate says its seeds, and that it found nothing', async () => {
  const args = ['test/simulation/simulate.ts', '--seed', '7', '--minutes', '0'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/^seeds 7 to 7: [1-9]\d* writes, no finding$/m);
});
