import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import { prepared } from '../support/prepared.ts';
import { seed } from '../support/random.ts';
import { times } from '../support/some.ts';
import { chaos } from './chaos.ts';

let faulty: FaultyService;

beforeAll(async () => {
  faulty = await startFaultyService(await prepared(), { isNumbered: true });
});

afterAll(() => faulty?.close());

test(`what was acknowledged under faults by chance is there once, and nothing else (SEED=${seed})`, async () => {
  const result = await chaos(faulty, seed, times(2, 6));
  console.info(JSON.stringify(result));
  expect(result.faults).toBeGreaterThan(0);
  expect(result.repeats).toBeGreaterThan(0);
});
