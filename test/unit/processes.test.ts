import { expect, test } from 'vitest';
import { processesFor } from '../../tools/dev/processes.ts';

test('functions have as many processes of 200 MB as half of the available memory has room for, 1 to 4', () => {
  const megabytes = [0, 300, 799, 800, 1199, 1200, 1599, 1600, 64_000];
  const of = (available: number) => processesFor(available * 1024 ** 2);
  expect(megabytes.map(of)).toEqual([1, 1, 1, 2, 2, 3, 3, 4, 4]);
});
