import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { given } from '../support/command-line.ts';

const run = pathToFileURL(join(import.meta.dirname, '../../tools/cli/run.ts')).href;

/** Starts a command that does this. */
const startCommand = (command: string) => {
  const script = `
    import { runToEnd, runUntilStopped } from ${JSON.stringify(run)};
    const begin = () => console.log('begun');
    const forever = () => new Promise(() => setInterval(() => {}, 1000));
    await ${command};`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: given,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

/** The exit code of a command that does this, and is sent a signal once it has printed something. */
const codeOf = async (command: string, signal: NodeJS.Signals): Promise<number | null> => {
  const child = startCommand(command);
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
  { tags: ['posix'] },
  async (signal, code) => {
    expect(await codeOf('runToEnd(async () => { begin(); await forever(); })', signal)).toBe(code);
  },
);

test('what serves ends with success at a signal, also while it starts', {
  tags: ['posix'],
}, async () => {
  const starts = 'runUntilStopped(async () => { begin(); await forever(); })';
  const serves =
    'runUntilStopped(async () => { void forever(); setTimeout(begin); return { close: async () => {} }; })';
  expect([await codeOf(starts, 'SIGINT'), await codeOf(serves, 'SIGTERM')]).toEqual([0, 0]);
});

test('a command that comes to its end has success', async () => {
  const code = await codeOf('runToEnd(async () => { void forever(); })', 'SIGTERM');
  expect(code).toBe(0);
});

// Each error that was written to an output that is gone was an error: the command wrote of it, for ever.
test.each(['console.log', 'console.error'])(
  'output that is gone ends a command by its next words, said with %s',
  async (say) => {
    const close = '{ close: async () => { for (;;) { Promise.reject("late"); await tick(); } } }';
    const child = startCommand(`runUntilStopped(async () => {
      const tick = () => new Promise((resolve) => setTimeout(resolve, 10));
      setInterval(() => ${say}('a line'), 10);
      return ${close};
    }, 500)`);
    await once(say === 'console.log' ? child.stdout : child.stderr, 'data');
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await once(child, 'exit')).toEqual([1, null]);
  },
);

test('a close that never ends has a deadline, and says so', { tags: ['posix'] }, async () => {
  const child = startCommand(
    'runUntilStopped(async () => { void forever(); setTimeout(begin); return { close: forever }; }, 200)',
  );
  child.stdout.once('data', () => child.kill('SIGTERM'));
  const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  expect([code, said]).toEqual([1, 'It did not close within 0.2 s.\n']);
});

/** Starts a command in a shell, as npm does, and ends the shell alone once the command has begun. */
const endShellOf = async (event: string | undefined) => {
  const script = `
    import { runUntilStopped } from ${JSON.stringify(run)};
    await runUntilStopped(async () => {
      setInterval(() => {}, 1000);
      setTimeout(() => console.log(process.pid));
      return { close: async () => console.log('closed') };
    });`;
  // With a second command, no shell puts the first one in its own place.
  const args = ['-c', '"$0" --input-type=module --eval "$1"; exit', process.execPath, script];
  const shell = spawn('sh', args, {
    env: { ...given, npm_lifecycle_event: event },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(shell.stdout, 'data');
  onTestFinished(() => void endIfThere(Number(pid)));
  shell.kill('SIGTERM');
  await once(shell, 'exit');
  return { pid: Number(pid), output: text(shell.stdout) };
};

const endIfThere = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
};

test('what npm runs ends with its shell; what another program started goes on', {
  tags: ['posix'],
}, async () => {
  const other = await endShellOf(undefined);
  expect(await (await endShellOf('dev')).output).toBe('closed\n');
  expect(process.kill(other.pid, 0)).toBe(true);
});
