import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// @module-tag long

interface Mutant {
  status: string;
  fileName: string;
  location: { start: object };
  replacement: string;
}

const isNoticed = ({ status }: Mutant) => ['Killed', 'Timeout'].includes(status);

/** Not known to TypeScript, since `npm ci` does not install it: `npm run mutation` does. */
const stryker = '@stryker-mutator/core';
const isInstalled = existsSync(join(import.meta.dirname, 'node_modules', stryker));

test.skipIf(!isInstalled)('no mutant of the permissions and the cursor survives', async () => {
  const { Stryker } = await import(stryker);
  const mutants: Mutant[] = await new Stryker({
    configFile: 'test/project/mutation/short-form.config.js',
  }).runMutationTest();
  const counts = ['permissions', 'cursor'].map((file) => {
    const all = mutants.filter(({ fileName }) => fileName.endsWith(`/${file}.ts`));
    return { file, mutants: all.length, noticed: all.filter(isNoticed).length };
  });
  const missed = mutants.filter((mutant) => !isNoticed(mutant));
  expect(
    missed.map(({ fileName, location, replacement }) => [fileName, location.start, replacement]),
  ).toEqual([]);
  for (const { mutants } of counts) expect(mutants).toBeGreaterThan(4);
});
