import { expect, test } from 'vitest';
import { indexRanges } from '../../../../lib/leads/lists/index-ranges.ts';
import { type Filters, listIdentity } from '../../../../lib/leads/lists/terms/filters.ts';
import { sorts, toOrder } from '../../../../lib/leads/lists/terms/orders.ts';
import { Stages } from '../../../../lib/leads/lists/terms/stages.ts';

const all = {
  pipeline_id: 'p',
  stages: ['s'],
  owner_id: 'o',
  external_id: 'X',
  email: 'a@example.com',
  phone: '+1',
  tags: ['a', 'b'],
  fields: { source: 'fair', vip: 'true' },
  outcome: 'open',
  created_from: 1,
  created_to: 2,
  updated_from: 1,
  updated_to: 2,
  stage_entered_from: 1,
  stage_entered_to: 2,
  next_step_from: 1,
  next_step_to: 2,
  value_from: 1,
  value_to: 2,
} satisfies Filters;

const other: Filters = {
  pipeline_id: 'q',
  stages: ['s', 't'],
  owner_id: 'p',
  external_id: 'x',
  email: 'b@example.com',
  phone: '+2',
  tags: ['a'],
  fields: { source: 'true', vip: 'fair' },
  outcome: 'won',
  created_from: 0,
  created_to: 3,
  updated_from: 0,
  updated_to: 3,
  stage_entered_from: 0,
  stage_entered_to: 3,
  next_step_from: 0,
  next_step_to: 3,
  value_from: 0,
  value_to: 3,
};

const identity = (filters: Filters, organizationId = 'one') =>
  JSON.stringify(listIdentity(organizationId, filters));

test('each filter, its value and the organization make another list', () => {
  const others: Filters[] = [
    { tags: [] },
    all,
    ...Object.entries(other).map(([name, value]) => ({ ...all, [name]: value })),
    ...Object.keys(all).map((name) => ({ ...all, [name]: name === 'tags' ? [] : undefined })),
    { tags: [], email: 'a' },
    { tags: [], phone: 'a' },
    { tags: [], external_id: 'a' },
    { tags: [], fields: { email: 'a' } },
  ];
  const identities = [identity(all, 'two'), ...others.map((one) => identity(one))];
  expect(new Set(identities).size).toBe(others.length + 1);
});

test('each order makes another list', () => {
  const identities = sorts.map((sort) => JSON.stringify(listIdentity('one', all, toOrder(sort))));
  expect(new Set(identities).size).toBe(sorts.length);
  expect(identities[0]).toBe(identity(all));
});

test.each<Partial<Filters>>([
  { tags: ['b', 'a'] },
  { tags: ['a', 'b', 'a'] },
  { email: 'A@Example.com' },
  { fields: { vip: 'true', source: 'fair' } },
])('%j is the same list', (change) => {
  expect(identity({ ...all, ...change })).toBe(identity(all));
});

test('a list is read by its fields, or by any of its tags and custom fields, in an order of its own', () => {
  const selected = (pipelines: string[]) =>
    pipelines.length > 0
      ? { stages: new Stages(pipelines.map((pipeline_id) => ({ pipeline_id, stage: 's' }))) }
      : {};
  const count = (filters: Partial<Filters>, pipelines: string[] = []) =>
    indexRanges('one', { tags: [], ...filters }, selected(pipelines)).map(
      ({ partitions, filter }) => [partitions.length, Object.keys(filter?.values ?? {}).length],
    );
  const [whole, filtered] = [
    [1, 0],
    [1, 1],
  ];
  expect(count({})).toEqual([whole]);
  expect(count({ tags: ['a'] })).toEqual([whole]);
  expect(count({ tags: ['a', 'b', 'a'] })).toEqual([filtered, filtered]);
  for (const field of [{ pipeline_id: 'p' }, { owner_id: 'o' }]) {
    expect(count(field)).toEqual([whole]);
    expect(count({ ...field, tags: ['a'] })).toEqual([filtered, filtered]);
  }
  // A stage is one of each pipeline that has it.
  expect(count({ stages: ['s'], tags: ['a'] }, ['p', 'q'])).toEqual([[2, 1], filtered]);
  expect(count({ fields: { source: 'fair', city: 'x' } })).toEqual([filtered, filtered]);
  const sources = (filters: Filters) =>
    indexRanges('one', filters).map(({ matches, ...range }) => range);
  expect(sources({ ...all, tags: ['b', 'a'], fields: { vip: 'true', source: 'fair' } })).toEqual(
    sources(all),
  );
});
