import { expect, test } from 'vitest';
import {
  readCounters,
  shardCount,
  updateCounters,
  updateCountersOfMerge,
} from '../../../lib/pipelines/counters.ts';
import { places } from '../../../lib/table/keys.ts';
import type { QueryInput } from '../../../lib/table/table.ts';
import { fakeQueries } from '../../support/fake-table.ts';

/** A lead whose counter is in this shard. */
const lead = (shard: number, fields: object = {}) => ({
  id: `01a1fc01-04c2-7516-b29c-4d6e78${shard.toString(16).padStart(6, '0')}`,
  pipeline_id: 'p',
  stage: 'new',
  value_cents: 0,
  ...fields,
});

/** What each counter is changed by, the counter as `<pipeline>/<shard>#<stage>`. */
const changes = (writes: ReturnType<typeof updateCounters>) =>
  writes.map(({ Update: { Key, ExpressionAttributeValues: values } }) => [
    `${Key?.pk.split('#')[2]}/${Key?.sk}`,
    values?.[':leads_add'],
    values?.[':value_cents_add'],
  ]);

test.each([
  ['comes', undefined, lead(3, { value_cents: 5 }), [['p/3#new', 1, 5]]],
  ['goes', lead(3, { value_cents: 5 }), undefined, [['p/3#new', -1, -5]]],
  [
    'stays with it, and its value changes',
    lead(3),
    lead(3, { value_cents: 5 }),
    [['p/3#new', 0, 5]],
  ],
  ['stays with all of it', lead(3), lead(3), []],
  [
    'moves with it',
    lead(3, { value_cents: 5 }),
    lead(3, { value_cents: 7, stage: 'won' }),
    [
      ['p/3#new', -1, -5],
      ['p/3#won', 1, 7],
    ],
  ],
])('the count of a lead %s', (_what, before, after, expected) => {
  expect(changes(updateCounters('o', before, after))).toEqual(expected);
});

const before = lead(3, { value_cents: 10 });
const after = lead(3, { value_cents: 40 });

test('of a lead that is merged into another a counter that both are in is written once', () => {
  const gone = lead(3 + shardCount, { value_cents: 7 });
  // 30 more of the survivor's, 7 less of the other's.
  expect(changes(updateCountersOfMerge('o', before, after, gone))).toEqual([['p/3#new', -1, 23]]);
});

test.each([
  ['another shard', lead(4, { value_cents: 7 }), 'p/4#new'],
  ['another stage', lead(3 + shardCount, { value_cents: 7, stage: 'won' }), 'p/3#won'],
  ['another pipeline', lead(3 + shardCount, { value_cents: 7, pipeline_id: 'q' }), 'q/3#new'],
])('of a lead that is merged into another in %s, each changes its own', (_what, gone, counter) => {
  expect(changes(updateCountersOfMerge('o', before, after, gone))).toEqual([
    ['p/3#new', 0, 30],
    [counter, -1, -7],
  ]);
});

test('counters are read to their end, strongly consistent', async () => {
  const key = (shard: string) =>
    places.counter.key({ organizationId: 'o', pipelineId: 'p', shard, stage: 'new' });
  const pages = [
    { items: [{ ...key('0') }], examined: 1, last: { ...key('0') } },
    { items: [{ ...key('1') }], examined: 1, last: undefined },
  ];
  const asked: QueryInput<'Query'>[] = [];
  const table = fakeQueries((input) => {
    asked.push(input);
    return pages[asked.length - 1]!;
  });
  const counters = await readCounters(table, 'o', 'p');
  expect(counters.map(({ sk }) => sk)).toEqual(['0#new', '1#new']);
  expect(asked).toMatchObject([
    { consistent: true },
    { consistent: true, startAfter: { sk: '0#new' } },
  ]);
});
