import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
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

const all = mkdtempSync(join(tmpdir(), 'leads-and-stars-code-'));
afterAll(() => rmSync(all, { recursive: true }));

/** A function's code, which each process loads anew: in one and the same, V8 remembers what it has compiled. */
const functionOf = () => {
  const directory = mkdtempSync(join(all, 'code-'));
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

/** What a function without a cache gives. */
const given: Promise<[GivenCache]> = (async () => functionOf().run([cacheRequest]))();

test('a function gives its code cache, and is loaded with it the next time', async () => {
  const [without] = await given;
  const code_sha256 = expect.stringMatching(/^[\da-f]{64}$/);
  expect(without).toMatchObject({ taken: null, code_sha256 });
  const fn = functionOf();
  fn.keep(bytesOf(without));
  const [answer, again] = await fn.run([{ a: 1 }, cacheRequest]);
  expect(answer).toEqual(answered);
  expect(again).toMatchObject({ taken: true, code_sha256: without.code_sha256 });
});

test('one of a process with flags is taken by another with the same', {
  tags: ['long'],
}, async () => {
  // As Lambda starts Node.js.
  const flags = ['--expose-gc'];
  const fn = functionOf();
  const [without] = await fn.run([cacheRequest], flags);
  fn.keep(bytesOf(without));
  expect(await fn.run([cacheRequest], flags)).toMatchObject([{ taken: true }]);
});

test('the cache has what was never called, too', async () => {
  const [cache] = await given;
  expect(bytesOf(cache).includes(neverCalled)).toBe(true);
  // Control: V8 by itself waits for a call.
  expect(new Script(source).createCachedData().includes(neverCalled)).toBe(false);
});

const otherVersion = (cache: Buffer) => Buffer.concat([Buffer.alloc(16, 7), cache.subarray(16)]);

test.each<[string, (cache: Buffer) => Buffer, string[]]>([
  ['of nothing', () => Buffer.alloc(0), []],
  ['of another version', otherVersion, []],
  ['of other flags', (cache) => cache, ['--expose-gc']],
])('a cache %s is refused, and the function runs as without one', async (_what, change, flags) => {
  const fn = functionOf();
  fn.keep(change(bytesOf((await given)[0])));
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
