import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Processes } from '@leads-and-stars/runner';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { RuntimeProcess } from '../src/lambda/runtime-process.ts';
import { eventually, ownDirectory } from './support.ts';

// When a process of functions ends, other than with the runner.

const directory = ownDirectory();
writeFileSync(join(directory, 'index.js'), "exports.handler = async () => 'done';");
const processes = new Processes();
afterAll(() => processes.close());

const start = (mostMegabytes?: number) =>
  new RuntimeProcess(processes, { variables: {}, directory, output: 'inherit', mostMegabytes });

/** Has a process handle an event; what it says of that. */
const handled = async (runtime: RuntimeProcess): Promise<string[]> => {
  const said: string[] = [];
  const loading = { directory, handler: 'index.handler', timeoutSeconds: 9 };
  const environment = runtime.load(loading, ({ kind }) => said.push(kind));
  await eventually('it is loaded', () => said.length === 1);
  runtime.handle(environment, { requestId: 'one', event: {} });
  await eventually('it answers', () => said.length === 2);
  return said;
};

test('a process that is retired ends once each of its environments was given back', async () => {
  const runtime = start();
  runtime.take();
  runtime.take();
  runtime.retire();
  runtime.giveBack();
  expect(await handled(runtime)).toEqual(['ready', 'result']);
  expect([runtime.alive, runtime.isRetired]).toEqual([true, true]);
  runtime.giveBack();
  expect(await runtime.died).toMatchObject({ errorMessage: 'ended with SIGTERM' });
});

test('a process that nobody uses for ten minutes ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const runtime = start();
  const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000);
  runtime.take();
  minutes(20);
  runtime.giveBack();
  minutes(9);
  runtime.take();
  minutes(20);
  runtime.giveBack();
  minutes(9.99);
  expect(runtime.alive).toBe(true);
  minutes(0.01);
  expect(runtime.alive).toBe(false);
});

test.each([
  [1, true],
  [1000, false],
])('one that may take %i MB is retired after an event: %s', async (mostMegabytes, isRetired) => {
  const runtime = start(mostMegabytes);
  runtime.take();
  await handled(runtime);
  await handled(runtime);
  expect(runtime.isRetired).toBe(isRetired);
  runtime.giveBack();
  if (isRetired) await runtime.died;
  expect(runtime.alive).toBe(!isRetired);
});
