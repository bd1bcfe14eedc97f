import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ownDirectory } from '../../packages/runner/test/support.ts';
import { temporaryDirectory } from '../../tools/service/temporary-directory.ts';

const directory = ownDirectory();

test('what a killed process has left is removed by the next, and nothing else', async () => {
  vi.stubEnv('TMPDIR', directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { pid: ended } = spawnSync('true');
  const others = [
    `leads-and-stars-${process.ppid}-service-a`,
    'leads-and-stars-1-service-a',
    'leads-and-stars-cost-1',
    `other-${ended}-service-a`,
  ];
  for (const name of [...others, `leads-and-stars-${ended}-service-a`]) {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, 'file'), '');
  }
  const made = await temporaryDirectory('service');
  const left = readdirSync(directory).map((name) => join(directory, name));
  expect(left.sort()).toEqual([...others.map((name) => join(directory, name)), made].sort());
});
