import { Stryker } from '@stryker-mutator/core';
import { expect, test } from 'vitest';

const isNoticed = ({ status }: { status: string }) => ['Killed', 'Timeout'].includes(status);

test('no mutant of the permissions and the cursor survives', async () => {
  const mutants = await new Stryker({
    configFile: 'test/project/mutation/short-form.config.js',
  }).runMutationTest();
  const counts = ['permissions', 'cursor'].map((file) => {
    const all = mutants.filter(({ fileName }) => fileName.endsWith(`/${file}.ts`));
    return { file, mutants: all.length, noticed: all.filter(isNoticed).length };
  });
  console.info('mutants', counts);
  const missed = mutants.filter((mutant) => !isNoticed(mutant));
  expect(
    missed.map(({ fileName, location, replacement }) => [fileName, location.start, replacement]),
  ).toEqual([]);
  for (const { mutants } of counts) expect(mutants).toBeGreaterThan(4);
}, 180_000);
