import { existsSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withTemporary } from '../../../packages/client/src/cli/temporary-file.ts';
import { makeDirectory } from './support.ts';

// That a signal ends the process as it does without a listener: input.test.ts, with real ones.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = () => signals.map((signal) => process.listenerCount(signal));

test('a file is there during the work, and removed at its end, also where that fails', async () => {
  const path = await makeDirectory();
  const before = listeners();
  const work = async () => {
    writeFileSync(path('a'), '');
    expect(listeners()).toEqual(before.map((count) => count + 1));
    return existsSync(path('a'));
  };
  expect([await withTemporary(path('a'), work), existsSync(path('a'))]).toEqual([true, false]);
  const failing = withTemporary(path('a'), async () => {
    await work();
    throw new Error('full');
  });
  await expect(failing).rejects.toThrow('full');
  expect([existsSync(path('a')), listeners()]).toEqual([false, before]);
  // What can't be removed, since it is a directory, hides no result.
  expect(await withTemporary(path('.'), async () => 7)).toBe(7);
});

test.each(signals)('%s removes each file, and then ends the process', async (signal) => {
  const path = await makeDirectory();
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  const before = listeners();
  const ended = Promise.withResolvers<void>();
  const all = ['a', 'b'].map((name) =>
    withTemporary(path(name), async () => {
      writeFileSync(path(name), '');
      await ended.promise;
    }),
  );
  // One listener is enough for both.
  expect(listeners()).toEqual(before.map((count) => count + 1));
  const others = process.listeners(signal).slice(0, -1);
  process.listeners(signal).at(-1)!(signal);
  expect([existsSync(path('a')), existsSync(path('b'))]).toEqual([false, false]);
  expect(kill.mock.calls).toEqual([[process.pid, signal]]);
  // Nobody listens any more: else the process would not end.
  expect([process.listeners(signal), listeners()]).toEqual([others, before]);
  ended.resolve();
  await Promise.all(all);
  expect(listeners()).toEqual(before);
});

test('a file that is done leaves another one its listener', async () => {
  const path = await makeDirectory();
  const before = listeners();
  const ended = Promise.withResolvers<void>();
  const long = withTemporary(path('a'), () => ended.promise);
  await withTemporary(path('b'), async () => {});
  expect(listeners()).toEqual(before.map((count) => count + 1));
  ended.resolve();
  await long;
  expect(listeners()).toEqual(before);
});
