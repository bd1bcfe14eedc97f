import { expect, test } from 'vitest';
import { dev, patienceSeconds, useCommands } from './commands.ts';
import { eventually } from './support.ts';

// A runner that is killed can clean up nothing itself. Whatever it was at, none of its processes outlives it.
// @module-tag long

useCommands();

test.each([
  ['bundles functions', ['app.ts', 'esbuild']],
  ['starts its first function', ['dynoxide', 'runtime.js']],
  ['watches the sources', ['dynoxide', 'runtime.js', 'esbuild']],
])('killed while it %s, it leaves no process', async (_when, parts) => {
  const run = dev(['--memory', '--port', '0']);
  const isThere = (part: string) => run.processes().some(({ command }) => command.includes(part));
  await eventually(`${parts} run`, () => parts.every(isThere), patienceSeconds);
  run.kill('SIGKILL');
  await run.gone();
  expect(await run.ended).toBeNull();
});
