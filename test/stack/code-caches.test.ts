import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { expect, onTestFinished, test } from 'vitest';
import { Bundles } from '../../infra/bundle.ts';
import { serviceApp } from './synthesized.ts';

const file = join(import.meta.dirname, '../../functions/billing/list-plans.ts');

/** Bundles the one function, with the caches of the directory. */
const bundled = (caches?: string) => {
  const outdir = mkdtempSync(join(tmpdir(), 'leads-and-stars-caches-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  const stack = new Stack(new App({ outdir }), 'Own');
  const bundles = new Bundles([file], caches === undefined ? {} : { caches });
  const { s3Location } = bundles.of(file).bind(stack);
  const [hash = ''] = String(s3Location?.objectKey).split('.');
  const asset = join(outdir, `asset.${hash}`);
  return { asset, cache: join(asset, 'function.cache'), uncached: bundles.uncached };
};

test('a function is deployed with the code cache of its very code, and with no other', () => {
  const caches = mkdtempSync(join(tmpdir(), 'leads-and-stars-caches-'));
  onTestFinished(() => rmSync(caches, { recursive: true }));
  const plain = bundled();
  expect([existsSync(plain.cache), plain.uncached]).toEqual([false, []]);

  writeFileSync(join(caches, `${'0'.repeat(64)}.cache`), 'of other code');
  const other = bundled(caches);
  expect([existsSync(other.cache), other.uncached]).toEqual([false, ['list-plans']]);

  const code = readFileSync(join(plain.asset, 'function.js'));
  const name = `${createHash('sha256').update(code).digest('hex')}.cache`;
  writeFileSync(join(caches, name), 'of this code');
  const own = bundled(caches);
  expect([readFileSync(own.cache, 'utf8'), own.uncached]).toEqual(['of this code', []]);
  // So the function is updated by it.
  expect(basename(own.asset)).not.toBe(basename(plain.asset));
});

test('a directory of code caches has to be there', () => {
  expect(() => serviceApp({ code_cache: 'nowhere' })).toThrow(
    /no directory nowhere.*code-cache fetch/,
  );
  expect(() => serviceApp({ code_cache: import.meta.dirname, stack: 'Cached' })).not.toThrow();
});
