import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// @module-tag long

const commands = {
  dev: 'tools/dev/dev.ts',
  invoke: 'tools/dev/invoke.ts',
  event: 'tools/dev/event.ts',
  token: 'tools/dev/token.ts',
  admin: 'tools/admin/main.ts',
  smoke: 'tools/smoke/main.ts',
  webhooks: 'tools/webhooks/main.ts',
  '--silent unminify': 'tools/unminify/main.ts',
  simulate: 'test/simulation/simulate.ts',
  'systems:dev': 'test/systems/first-lead.ts',
  'systems:client': 'test/systems/packed-client.ts',
  openapi: 'tools/openapi/write.ts',
  'docs:build': 'tools/openapi/build-site.ts',
};

const node = (...args: string[]) => promisify(execFile)(process.execPath, args);

test.each(Object.entries(commands))('npm run %s -- --help says how', async (name, file) => {
  expect((await node(file, '--help')).stdout).toContain(`npm run ${name}`);
});

test('npm version -- --help is npm’s; what it calls says how to release', async () => {
  expect((await node('tools/release/main.ts', '--help')).stdout).toContain('npm version minor');
});

test('what a command without options does not know is refused before it does anything', async () => {
  await expect(node('tools/openapi/build-site.ts', '--elsewhere')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no --elsewhere here.'),
  });
});
