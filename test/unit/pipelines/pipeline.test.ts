import { expect, test } from 'vitest';
import { newPipeline, patchPipeline } from '../../../lib/pipelines/pipeline.ts';

test('a change has no earlier time than the one before, though clocks differ', () => {
  const before = Date.parse('2026-11-22T00:00:00.000Z');
  const pipeline = newPipeline(
    'p',
    {
      name: 'Sales',
      stages: [{ name: 'new', outcome: 'open' }],
      default_stage: 'new',
      unique_contact: [],
    },
    before,
  );
  const updatedAt = (now: number) =>
    patchPipeline(pipeline, { name: 'Other' } as never, now).updated_at;
  expect(updatedAt(before - 5000)).toBe(new Date(before).toISOString());
  expect(updatedAt(before + 5000)).toBe(new Date(before + 5000).toISOString());
});
