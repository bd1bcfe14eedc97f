import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { shardCount } from '../../../lib/pipelines/counters.ts';
import { places } from '../../../lib/table/keys.ts';
import { outcome } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

// What is refused of its fields is in test/unit/pipelines/pipeline.test.ts, and of its stages in stages.test.ts there.

const { tableName } = inject('service');
const stagesOf = (names: readonly string[]) => names.map((name) => ({ name, outcome: 'open' }));
const atOnce = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

const pathOf = ({ pipelineId }: Organization) => `/pipelines/${pipelineId}`;
const read = async (organization: Organization) =>
  (await organization.get(pathOf(organization))).body;
const post = (organization: Organization, fields: object = {}) => {
  const lead = { contact_name: 'x', pipeline_id: organization.pipelineId, ...fields };
  return organization.post('/leads', lead);
};

test('a change of a pipeline touches just what it names, and makes the next version', async () => {
  const organization = await provision();
  const before = await read(organization);
  const options = { headers: { 'content-type': 'application/merge-patch+json' } };
  const changed = await organization.patch(pathOf(organization), { name: 'Renamed' }, options);
  const { updated_at } = changed.body;
  expect(changed.body).toEqual({ ...before, name: 'Renamed', updated_at });
  expect(updated_at > before.updated_at).toBe(true);
  const after = await organization.get(pathOf(organization));
  expect(after.body).toEqual(changed.body);
  expect([changed, after].map(({ headers }) => headers.get('etag'))).toEqual(['"2"', '"2"']);
  const refused = await organization.patch(pathOf(organization), { default_stage: 'nowhere' });
  expect(refused.body.error.details).toMatchObject([{ path: 'default_stage' }]);
});

test('a change of what makes a contact unique holds for the leads that come after', async () => {
  const organization = await provision();
  const create = async () => outcome(await post(organization, { phone: '+5511987654321' }));
  expect([await create(), await create()]).toEqual([201, 201]);
  await organization.patch(pathOf(organization), { unique_contact: ['phone'] });
  expect([await create(), await create()]).toEqual([201, 'duplicate_lead']);
});

test('of ten changes of a pipeline at once that want one version, one is made', async () => {
  const organization = await provision();
  const options = { headers: { 'if-match': '"1"' } };
  const answers = await atOnce(10, (i) =>
    organization.patch(pathOf(organization), { name: `${i}` }, options),
  );
  expect(answers.map(outcome).sort()).toEqual([200, ...Array(9).fill('precondition_failed')]);
  const made = answers.find(({ status }) => status === 200);
  expect(await read(organization)).toEqual(made?.body);
});

test('of three changes of a pipeline at once, none is lost', async () => {
  const organization = await provision();
  const changes = [{ name: 'N' }, { default_stage: 'qualified' }, { unique_contact: [] }];
  const answers = await Promise.all(
    changes.map((fields) => organization.patch(pathOf(organization), fields)),
  );
  expect(answers.map(outcome)).toEqual([200, 200, 200]);
  expect(await read(organization)).toMatchObject(Object.assign({}, ...changes));
});

const withStages = (...names: string[]): Promise<Organization> =>
  provision({ pipelines: [{ name: 'P', stages: stagesOf(names) }] });

const change = (organization: Organization, names: string[], default_stage?: string) =>
  organization.patch(pathOf(organization), { stages: stagesOf(names), default_stage });

/** The counters of a stage as they are stored, by shard. */
const counters = async ({ id, pipelineId }: Organization, stage: string) => {
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: {
        ':pk': places.counter.partition({ organizationId: id, pipelineId }),
      },
      ConsistentRead: true,
    }),
  );
  return Items.filter(({ sk }) => sk.slice(sk.indexOf('#') + 1) === stage);
};

const setCounters = ({ id, pipelineId }: Organization, stage: string, values: object[]) => {
  const requests = values.map((value, shard) => {
    const ids = { organizationId: id, pipelineId, stage, shard: String(shard) };
    return { PutRequest: { Item: { ...places.counter.key(ids), ...value } } };
  });
  return table.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
};

test('a stage that has leads can change its place and outcome, and can’t be removed; one without can', async () => {
  const organization = await withStages('new', 'busy', 'won');
  await change(organization, ['new', 'busy', 'won'], 'busy');
  await organization.lead();
  expect(outcome(await change(organization, ['new', 'won'], 'new'))).toBe('stage_in_use');
  const stages = [
    { name: 'lost', outcome: 'lost' },
    { name: 'busy', outcome: 'won' },
  ];
  expect(outcome(await organization.patch(pathOf(organization), { stages }))).toBe(200);
  expect((await read(organization)).stages).toEqual(stages);
});

test('a stage that is empty by the sum of its counters is closed in all, and opens in all', async () => {
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
    Array(shardCount).fill([true, undefined, undefined]),
  );
  const tomorrow = Date.now() / 1000 + 24 * 60 * 60;
  for (const { expires_at } of closed) expect(Math.abs(expires_at - tomorrow)).toBeLessThan(60);

  expect(outcome(await change(organization, ['first', 'moved'], 'moved'))).toBe(200);
  const open = await counters(organization, 'moved');
  expect(open.filter((item) => 'closed' in item || 'expires_at' in item)).toEqual([]);
  // Enough to meet every shard, or nearly.
  const posted = await atOnce(3 * shardCount, () => post(organization));
  expect(posted.map(outcome)).toEqual(Array(3 * shardCount).fill(201));
  const { body } = await organization.get(`${pathOf(organization)}/summary`);
  expect([body.leads, body.value_cents]).toEqual([3 * shardCount, 0]);
});

test('a stage that is closed takes no lead of a request that has read the pipeline before', async () => {
  const organization = await withStages('new');
  // What such a request finds: a pipeline with the stage, then counters without it.
  await setCounters(organization, 'new', Array(shardCount).fill({ closed: true }));
  expect(outcome(await post(organization))).toBe('write_conflict');
  await setCounters(organization, 'new', Array(shardCount).fill({}));
  expect(outcome(await post(organization))).toBe(201);
  expect((await organization.get('/leads')).body.items.length).toBe(1);
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

    const { stages } = await read(organization);
    const names = stages.map(({ name }: { name: string }) => name);
    expect(names).toEqual(removal.status === 200 ? ['other'] : ['new', 'other']);
    const leads: { stage: string }[] = (await organization.get('/leads')).body.items;
    expect(leads.length).toBe(created.filter(({ status }) => status === 201).length);
    const { body: summary } = await organization.get(`${pathOf(organization)}/summary`);
    expect(summary.leads).toBe(leads.length);
    expect(summary.stages.map((stage: { leads: number }) => stage.leads)).toEqual(
      names.map((name: string) => leads.filter(({ stage }) => stage === name).length),
    );
  }
  // Else the rounds were no race.
  expect(removals.size).toBe(2);
});
