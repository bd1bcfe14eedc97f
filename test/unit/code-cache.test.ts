import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { cacheRequest, type GivenCache } from '../../infra/code-cache.ts';

const neverCalled = 'only a call would compile this';
const source = `const other = () => '${neverCalled}';
exports.handler = async (event, context) => ({ event, context, other: typeof other });`;

const program = `
import { createRequire } from 'node:module';
import { load } from ${JSON.stringify(new URL('../../infra/code-cache.ts', import.meta.url))};
const [directory, events] = process.argv.slice(1);
const handler = load(directory, createRequire(directory));
const answers = [];
for (const event of JSON.parse(events)) answers.push(await handler(event, 'context'));
console.log(JSON.stringify(answers));`;

/** A function's code, which each process loads anew: in one and the same, V8 remembers what it has compiled. */
const functionOf = () => {
  const directory = mkdtempSync(join(tmpdir(), 'leads-and-stars-code-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'function.js'), source);
  return {
    run: async (events: unknown[], flags: string[] = []) => {
      const args = [...flags, '--input-type=module', '-e', program, directory];
      const { stdout } = await promisify(execFile)(process.execPath, [
        ...args,
        JSON.stringify(events),
      ]);
      return JSON.parse(stdout);
    },
    keep: (cache: Buffer) => writeFileSync(join(directory, 'function.cache'), cache),
  };
};

const bytesOf = ({ cache }: GivenCache) => Buffer.from(cache, 'base64');
const answered = { event: { a: 1 }, context: 'context', other: 'function' };

// Lambda starts Node.js with the second.
test.each([[[]], [['--expose-gc']]])(
  'a function gives its code cache, and is loaded with it the next time: %j',
  async (flags) => {
    const fn = functionOf();
    const [without] = await fn.run([cacheRequest], flags);
    const code_sha256 = expect.stringMatching(/^[\da-f]{64}$/);
    expect(without).toMatchObject({ taken: null, code_sha256 });
    fn.keep(bytesOf(without));
    const [answer, again] = await fn.run([{ a: 1 }, cacheRequest], flags);
    expect(answer).toEqual(answered);
    expect(again).toMatchObject({ taken: true, code_sha256: without.code_sha256 });
  },
);

test('the cache has what was never called, too', async () => {
  const [cache] = await functionOf().run([cacheRequest]);
  expect(bytesOf(cache).includes(neverCalled)).toBe(true);
  // Control: V8 by itself waits for a call.
  expect(new Script(source).createCachedData().includes(neverCalled)).toBe(false);
});

test.each<[string, (cache: Buffer) => Buffer, string[]]>([
  ['of nothing', () => Buffer.alloc(0), []],
  ['that is none', () => Buffer.from('a cache'), []],
  ['of another version', (cache) => Buffer.concat([Buffer.alloc(16, 7), cache.subarray(16)]), []],
  ['of other flags', (cache) => cache, ['--expose-gc']],
])('a cache %s is refused, and the function runs as without one', async (_what, change, flags) => {
  const fn = functionOf();
  const [given] = await fn.run([cacheRequest]);
  fn.keep(change(bytesOf(given)));
  const [answer, again] = await fn.run([{ a: 1 }, cacheRequest], flags);
  expect([answer, again.taken]).toEqual([answered, false]);
  // What it gives then is whole, though it has compiled only what it ran.
  expect(bytesOf(again).includes(neverCalled)).toBe(true);
});

test('no other event is a request for a cache', async () => {
  const others = [
    { code_cache: true, requestContext: {} },
    { requestContext: {} },
    [{ code_cache: true }],
    null,
    'code_cache',
  ];
  const answers = await functionOf().run(others);
  expect(answers.map(({ event }: { event: unknown }) => event)).toEqual(others);
});
