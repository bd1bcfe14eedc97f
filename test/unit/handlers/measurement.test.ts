import { expect, test } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import { measure } from '../../../lib/handlers/measurement.ts';

const measured = async (work: () => unknown) => {
  let ended = 0;
  const table = { units: 2.5, end: () => void ended++ };
  const measurement = await measure(table as never, async () => work());
  return { ...measurement, ended };
};

const throwing = (error: unknown) => () => {
  throw error;
};

test('work that is done has its output, its time and its units', async () => {
  const { output, error, metrics } = await measured(() => 'done');
  expect([output, error]).toEqual(['done', undefined]);
  expect(metrics).toEqual({
    duration_ms: expect.any(Number),
    capacity_units: 2.5,
    code: undefined,
  });
});

test.each<[string, unknown, string]>([
  ['that was meant', new ApiError('write_conflict'), 'write_conflict'],
  ['that is a bug', new TypeError('a bug'), 'internal'],
  ['that is no error', 'text', 'internal'],
])('an error %s has its code', async (_what, thrown, code) => {
  const { output, error, metrics } = await measured(throwing(thrown));
  expect([output, error?.code, metrics.code]).toEqual([undefined, code, code]);
  expect(error === thrown || error?.cause === thrown).toBe(true);
});

test.each([
  ['done', () => 'done'],
  ['failed', throwing(new TypeError('a bug'))],
])('what it still does with the table ends where it has %s', async (_what, work) => {
  expect((await measured(work)).ended).toBe(1);
});
