import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, test } from 'vitest';
import { counterKey } from '../../../lib/table/keys.ts';
import type { Answer } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

const shards = 10;
const stagesOf = (names: readonly string[]) => names.map((name) => ({ name, outcome: 'open' }));
const outcome = ({ status, body }: Answer) => body?.error?.code ?? status;

const withStages = (...names: string[]): Promise<Organization> =>
  provision({ pipelines: [{ name: 'P', stages: stagesOf(names) }] });

const change = (organization: Organization, names: string[], default_stage?: string) =>
  organization.patch(`/pipelines/${organization.pipelineId}`, {
    stages: stagesOf(names),
    default_stage,
  });

const post = (organization: Organization) =>
  organization.post('/leads', { contact_name: 'x', pipeline_id: organization.pipelineId });

/** The counters of a stage as they are stored, by shard. */
const counters = async ({ id, pipelineId }: Organization, stage: string) => {
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: inject('service').tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': counterKey(id, pipelineId, stage, 0).pk },
      ConsistentRead: true,
    }),
  );
  return Items.filter(({ sk }) => sk.slice(sk.indexOf('#') + 1) === stage);
};

const setCounters = ({ id, pipelineId }: Organization, stage: string, values: object[]) =>
  table.send(
    new BatchWriteCommand({
      RequestItems: {
        [inject('service').tableName]: values.map((value, shard) => ({
          PutRequest: { Item: { ...counterKey(id, pipelineId, stage, shard), ...value } },
        })),
      },
    }),
  );

describe('a stage', () => {
  test('that has leads can’t be removed or renamed; one without can', async () => {
    const organization = await withStages('new', 'busy "one"', 'won');
    await change(organization, ['new', 'busy "one"', 'won'], 'busy "one"');
    await organization.lead();
    for (const names of [
      ['new', 'won'],
      ['new', 'renamed', 'won'],
    ]) {
      const refused = await change(organization, names, 'new');
      expect(outcome(refused)).toBe('stage_in_use');
      expect(refused.body.error.details).toEqual([
        { path: 'stages', message: 'must keep the stage "busy \\"one\\"", which has leads' },
      ]);
    }
    expect(outcome(await change(organization, ['busy "one"', 'won']))).toBe(200);
    expect(outcome(await change(organization, ['lost', 'busy "one"']))).toBe(200);
    const { body } = await organization.get(`/pipelines/${organization.pipelineId}`);
    expect(body.stages).toEqual(stagesOf(['lost', 'busy "one"']));
  });

  test('that is the default can be removed only with another named', async () => {
    const organization = await withStages('new', 'other');
    const refused = await change(organization, ['other']);
    expect(refused.body.error.details).toMatchObject([{ path: 'default_stage' }]);
    expect(outcome(await change(organization, ['other'], 'other'))).toBe(200);
  });

  test('may change its place and its outcome while it has leads', async () => {
    const organization = await withStages('new', 'other');
    await organization.lead();
    const stages = [
      { name: 'other', outcome: 'lost' },
      { name: 'new', outcome: 'won' },
    ];
    const path = `/pipelines/${organization.pipelineId}`;
    expect((await organization.patch(path, { stages })).body.stages).toEqual(stages);
  });

  test('that is empty by the sum of its counters is closed in all, and opens in all', async () => {
    const organization = await withStages('first', 'moved');
    const moved = [
      { leads: 2, value_cents: 30 },
      { leads: -1, value_cents: -10 },
      { leads: -1, value_cents: -20 },
    ];
    await setCounters(organization, 'moved', [...moved, { leads: 1, value_cents: 5 }]);
    expect(outcome(await change(organization, ['first']))).toBe('stage_in_use');
    await setCounters(organization, 'moved', [...moved, { leads: 0, value_cents: 0 }]);
    expect(outcome(await change(organization, ['first']))).toBe(200);

    const closed = await counters(organization, 'moved');
    expect(closed.map(({ closed, leads, value_cents }) => [closed, leads, value_cents])).toEqual(
      Array(shards).fill([true, undefined, undefined]),
    );
    const tomorrow = Date.now() / 1000 + 24 * 60 * 60;
    for (const { expires_at } of closed) expect(Math.abs(expires_at - tomorrow)).toBeLessThan(60);

    expect(outcome(await change(organization, ['first', 'moved'], 'moved'))).toBe(200);
    const open = await counters(organization, 'moved');
    expect(open.filter((item) => 'closed' in item || 'expires_at' in item)).toEqual([]);
    // Enough to meet every shard, or nearly.
    const posted = await Promise.all(Array.from({ length: 3 * shards }, () => post(organization)));
    expect(posted.map(outcome)).toEqual(Array(3 * shards).fill(201));
    const { body } = await organization.get(`/pipelines/${organization.pipelineId}/summary`);
    expect([body.leads, body.value_cents]).toEqual([3 * shards, 0]);
  });

  test('that is closed takes no lead of a request that has read the pipeline before', async () => {
    const organization = await withStages('new');
    expect(outcome(await post(organization))).toBe(201);
    // What such a request finds: a pipeline with the stage, then counters without it.
    await setCounters(organization, 'new', Array(shards).fill({ closed: true }));
    expect(outcome(await post(organization))).toBe('write_conflict');
    await setCounters(organization, 'new', Array(shards).fill({}));
    expect(outcome(await post(organization))).toBe(201);
    expect((await organization.get('/leads')).body.items.length).toBe(2);
  });
});

describe('at most 8 stages go or come back in one change', () => {
  const names = Array.from({ length: 20 }, (_, i) => `stage ${i}`);
  const without = (count: number) => names.slice(count);

  test('going, coming back, and both; new ones are not counted', async () => {
    const organization = await withStages(...without(0));
    const refused = async (stages: string[], default_stage: string) => {
      const answer = await change(organization, stages, default_stage);
      expect(outcome(answer)).toBe('invalid_request');
      expect(answer.body.error.details).toMatchObject([{ path: 'stages' }]);
    };
    await refused(without(9), 'stage 19');
    expect(outcome(await change(organization, without(8), 'stage 19'))).toBe(200);
    await refused([...without(9), ...names.slice(0, 8)], 'stage 19');
    expect(outcome(await change(organization, without(9), 'stage 19'))).toBe(200);
    await refused(without(0), 'stage 19');
    expect(outcome(await change(organization, without(1), 'stage 19'))).toBe(200);
    const many = Array.from({ length: 30 }, (_, i) => `another ${i}`);
    expect(outcome(await change(organization, [...without(1), ...many], 'stage 19'))).toBe(200);
  });
});

test('leads created while their stage is removed are in a stage of the pipeline, and counted', async () => {
  const removals = new Set<unknown>();
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
  // How much earlier the removal starts: more after each that came too late, and less otherwise, so
  // that most rounds are a close race.
  let ahead = 0;
  for (let round = 0; round < 4 || (removals.size < 2 && round < 40); round++) {
    const organization = await withStages('new', 'other');
    const [removal, ...created] = await Promise.all([
      pause(-ahead).then(() => change(organization, ['other'], 'other')),
      ...Array.from({ length: 8 }, () => pause(ahead).then(() => post(organization))),
    ]);
    ahead += removal.status === 200 ? -4 : 8;
    expect([200, 'stage_in_use', 'write_conflict']).toContain(outcome(removal));
    for (const answer of created) expect([201, 'write_conflict']).toContain(outcome(answer));
    if (outcome(removal) !== 'write_conflict') removals.add(outcome(removal));

    const path = `/pipelines/${organization.pipelineId}`;
    const pipeline = (await organization.get(path)).body;
    const names = pipeline.stages.map(({ name }: { name: string }) => name);
    expect(names).toEqual(removal.status === 200 ? ['other'] : ['new', 'other']);
    const leads: { stage: string }[] = (await organization.get('/leads')).body.items;
    expect(leads.length).toBe(created.filter(({ status }) => status === 201).length);
    const { body: summary } = await organization.get(`${path}/summary`);
    expect(summary.leads).toBe(leads.length);
    expect(summary.stages.map((stage: { leads: number }) => stage.leads)).toEqual(
      names.map((name: string) => leads.filter(({ stage }) => stage === name).length),
    );
  }
  // Else the rounds were no race.
  expect(removals.size).toBe(2);
});
