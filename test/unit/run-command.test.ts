import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { given } from '../support/command-line.ts';

const run = join(import.meta.dirname, '../../tools/cli/run.ts');

/** The exit code of a command that does this, and is sent a signal once it has printed something. */
const codeOf = async (command: string, signal: NodeJS.Signals): Promise<number | null> => {
  const script = `
    import { runToEnd, runUntilStopped } from ${JSON.stringify(run)};
    const begin = () => console.log('begun');
    const forever = () => new Promise(() => setInterval(() => {}, 1000));
    await ${command};`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: given,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.once('data', () => child.kill(signal));
  const [code] = await once(child, 'exit');
  return code;
};

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s before the end of a command is no success: a shell does not go on',
  async (signal, code) => {
    expect(await codeOf('runToEnd(async () => { begin(); await forever(); })', signal)).toBe(code);
  },
);

test('what serves ends with success at a signal, also while it starts', async () => {
  const starts = 'runUntilStopped(async () => { begin(); await forever(); })';
  const serves =
    'runUntilStopped(async () => { void forever(); setTimeout(begin); return { close: async () => {} }; })';
  expect([await codeOf(starts, 'SIGINT'), await codeOf(serves, 'SIGTERM')]).toEqual([0, 0]);
});

test('a command that comes to its end has success', async () => {
  const code = await codeOf('runToEnd(async () => { void forever(); })', 'SIGTERM');
  expect(code).toBe(0);
});
