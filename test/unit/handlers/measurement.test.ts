import { expect, test } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import { measure } from '../../../lib/handlers/measurement.ts';

const measured = async (work: () => unknown) => {
  let ended = 0;
  const table = { units: 2.5, end: () => void ended++ };
  const measurement = await measure(table as never, async () => work());
  return { ...measurement, ended };
};

test('work that is done has its output, its time and its units, and ends what it left', async () => {
  expect(await measured(() => 'done')).toEqual({
    output: 'done',
    error: undefined,
    metrics: { duration_ms: expect.any(Number), capacity_units: 2.5, code: undefined },
    ended: 1,
  });
});

test.each<[string, unknown, string]>([
  ['that was meant', new ApiError('write_conflict'), 'write_conflict'],
  ['that is a bug', new TypeError('a bug'), 'internal'],
  ['that is no error', 'text', 'internal'],
])('an error %s has its code, and ends what was left', async (_what, thrown, code) => {
  const { output, error, metrics, ended } = await measured(() => {
    throw thrown;
  });
  expect([output, error?.code, metrics.code, ended]).toEqual([undefined, code, code, 1]);
  expect(error === thrown || error?.cause === thrown).toBe(true);
});
