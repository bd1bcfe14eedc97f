import { expect, test } from 'vitest';
import { type Counter, counterKind, shardCount } from '../../../lib/pipelines/counters.ts';
import { updateStages } from '../../../lib/pipelines/stages.ts';

const stages = (count: number, word: string) => Array.from({ length: count }, (_, i) => word + i);
const counter = (shard: string, stage: string, attributes: Partial<Counter>): Counter => ({
  ...counterKind.key({ organizationId: 'o', pipelineId: 'p', shard, stage }),
  ...attributes,
});
const closed = (names: string[]) => names.map((name) => counter('3', name, { closed: true }));

const update = (removed: string[], added: string[], counters: Counter[] = []) =>
  updateStages({ organizationId: 'o', pipelineId: 'p', removed, added, now: 0 }, counters);

const detail = (message: unknown) =>
  expect.objectContaining({ details: [{ path: 'stages', message }] });

test('a stage that has leads can’t go, and is named', () => {
  const counters = [counter('0', 'busy "one"', { leads: 1 })];
  const message = 'must keep the stage "busy \\"one\\"", which has leads';
  expect(() => update(['busy "one"', 'empty'], [], counters)).toThrow(detail(message));
  expect(update(['empty'], [], counters)).toHaveLength(shardCount);
});

test('at most 8 stages go or come back in one change; new ones are not counted', () => {
  const tooMany = detail(expect.stringContaining('at most 8 stages'));
  for (const [gone, back] of [
    [8, 0],
    [0, 8],
    [7, 1],
  ] as const) {
    const names = stages(back + 1, 'back');
    const added = [...names.slice(0, back), ...stages(30, 'new')];
    expect(update(stages(gone, 'gone'), added, closed(names))).toHaveLength(8 * shardCount);
    const more = [...added, ...names.slice(back)];
    expect(() => update(stages(gone, 'gone'), more, closed(names))).toThrow(tooMany);
    expect(() => update(stages(gone + 1, 'gone'), added, closed(names))).toThrow(tooMany);
  }
});
