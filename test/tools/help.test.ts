import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// @module-tag long

const node = (...args: string[]) => promisify(execFile)(process.execPath, args);

const project = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
const scripts = Object.entries<string>(JSON.parse(project).scripts).flatMap(([name, script]) => {
  const [, file] = /^node(?: --import \S+)? (\S+\.ts)$/.exec(script) ?? [];
  // The client has a README of its own.
  return file && name !== 'leads' ? [[name, file] as const] : [];
});

test.each(scripts)('npm run %s -- --help says how, and starts nothing', async (name, file) => {
  expect((await node(file, '--help')).stdout).toMatch(RegExp(`npm run (--silent )?${name}\\b`));
});

test('what a command without options does not know is refused before it does anything', async () => {
  expect(scripts.length).toBeGreaterThan(9);
  await expect(node('tools/openapi/build-site.ts', '--elsewhere')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("unknown option '--elsewhere'"),
  });
});
