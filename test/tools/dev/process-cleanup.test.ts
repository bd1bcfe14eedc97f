import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Command, dev, useCommands } from './commands.ts';
import { eventually } from './support.ts';

// A runner that is killed can clean up nothing itself. Whatever it was at, none of its processes outlives it.
// @module-tag long

useCommands();

const shows = (run: Command, part: string) => () =>
  run.processes().some(({ command }) => command.includes(part));

test.each([
  ['starts its engine', 'dynoxide'],
  ['synthesizes', 'app.ts'],
  ['bundles functions for that', 'esbuild'],
  ['starts its first function', 'runtime.ts'],
])('killed while it %s, it leaves no process', async (_when, part) => {
  const run = dev(['--memory', '--port', '0']);
  await eventually(`${part} runs`, shows(run, part), 60);
  run.kill('SIGKILL');
  await run.gone();
  await run.ended;
});

/** Whether a process has had nothing to do for a while, as by the kernel's count of its time. */
const isIdle = async (pid: number) => {
  const time = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join();
  const before = time();
  await wait(500);
  return time() === before;
};

test('killed while it serves and is busy, it leaves no process, nor that which watches the sources', async () => {
  const run = dev(['--memory', '--port', '0']);
  await run.ready();
  await eventually('esbuild runs', shows(run, 'esbuild'), 60);
  const { pid } = run.processes().find(({ command }) => command.includes('esbuild'))!;
  await eventually('esbuild has built everything', () => isIdle(pid), 60);
  run.kill('SIGSTOP');
  // The process of esbuild's API asks its parent each second whether it is still there. If that was killed before it
  // answered, it waits for the answer for ever.
  await wait(1500);
  expect(shows(run, 'esbuild')()).toBe(true);
  run.kill('SIGKILL');
  await run.gone();
});
