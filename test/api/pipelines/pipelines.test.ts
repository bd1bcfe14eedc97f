import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { organizationKey } from '../../../lib/table/keys.ts';
import type { Answer } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

const named = (...names: string[]) => names.map((name) => ({ name, outcome: 'open' }));
const numbered = (count: number) => named(...Array.from({ length: count }, (_, i) => `stage ${i}`));
const astral = '\u{1F680}';
const outcome = ({ status, body }: Answer) => body?.error?.code ?? status;
const match = (etag: string) => ({ headers: { 'if-match': etag } });
const atOnce = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

describe('a pipeline comes back exactly as it was sent', () => {
  test('with every field, alone and in the list', async () => {
    const organization = await provision();
    const sent = {
      name: ` Ação ${astral} `,
      stages: [
        { name: 'b#1', outcome: 'open' },
        { name: 'a', outcome: 'lost' },
        { name: 'A', outcome: 'won' },
      ],
      default_stage: 'a',
      unique_contact: ['phone', 'email'],
    };
    const made = await organization.post('/pipelines', sent);
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
    expect(made.body).toMatchObject(sent);
    expect(made.body.updated_at).toBe(made.body.created_at);
    const read = await organization.get(`/pipelines/${made.body.id.toUpperCase()}`);
    expect([read.text, read.headers.get('etag')]).toEqual([made.text, '"1"']);
    const list = await organization.get('/pipelines');
    expect(list.body.next_cursor).toBeNull();
    expect(list.body.items.map(({ id }: { id: string }) => id)).toEqual([
      organization.pipelineId,
      made.body.id,
    ]);
    expect(list.body.items[1]).toEqual(made.body);
    expect((await organization.lead({ pipeline_id: made.body.id })).stage).toBe('a');
  });

  test('with the required fields only: the first stage, and unique by email', async () => {
    const organization = await provision();
    const { body } = await organization.post('/pipelines', { name: 'P', stages: named('x', 'y') });
    expect(body).toMatchObject({ default_stage: 'x', unique_contact: ['email'] });
  });
});

describe('every limit, on both sides, made and changed', () => {
  let organization: Organization;
  let path: string;

  beforeAll(async () => {
    organization = await provision();
    path = `/pipelines/${organization.pipelineId}`;
  });

  const base = { name: 'P', stages: named('new') };
  const change = (fields: object) =>
    organization.patch(path, { stages: base.stages, default_stage: 'new', ...fields });

  test.each<[string, object]>([
    ['name', { name: 'x' }],
    ['name', { name: astral.repeat(100) }],
    ['stages', { stages: [{ name: astral.repeat(50), outcome: 'won' }, ...base.stages] }],
    ['stages', { stages: [...base.stages, ...numbered(49)] }],
    ['unique_contact', { unique_contact: [] }],
    ['unique_contact', { unique_contact: ['phone', 'email'] }],
  ])('%s takes %j', async (field, fields) => {
    const made = await organization.post('/pipelines', { ...base, ...fields });
    expect(made.body[field]).toEqual(fields[field as keyof typeof fields]);
    const fresh = `/pipelines/${made.body.id}`;
    const changed = await organization.patch(fresh, { default_stage: 'new', ...fields });
    expect(changed.body[field]).toEqual(fields[field as keyof typeof fields]);
  });

  test.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: astral.repeat(101) }, 'name'],
    [{ name: null }, 'name'],
    [{ stages: [] }, 'stages'],
    [{ stages: null }, 'stages'],
    [{ stages: [...base.stages, ...numbered(50)] }, 'stages'],
    [{ stages: [...base.stages, ...base.stages] }, 'stages'],
    [{ stages: [{ name: 'x'.repeat(51), outcome: 'open' }] }, 'stages.0.name'],
    [{ stages: [{ name: 'new', outcome: 'maybe' }] }, 'stages.0.outcome'],
    [{ stages: [{ name: 'new', outcome: 'open', color: 'red' }] }, 'stages.0.color'],
    [{ default_stage: 'old' }, 'default_stage'],
    [{ default_stage: null }, 'default_stage'],
    [{ unique_contact: ['name'] }, 'unique_contact.0'],
    [{ unique_contact: ['email', 'email'] }, 'unique_contact'],
    [{ unique_contact: null }, 'unique_contact'],
  ])('%j is refused', async (fields, field) => {
    const answers = [
      await organization.post('/pipelines', { ...base, ...fields }),
      await change(fields),
    ];
    for (const answer of answers) {
      expect([outcome(answer), answer.text]).toEqual(['invalid_request', answer.text]);
      expect(answer.body.error.details).toMatchObject([{ path: field }]);
    }
  });
});

test('an organization has 50 pipelines and no more, however many are made at once', async () => {
  const pipeline = { name: 'P', stages: named('new') };
  const organization = await provision();
  // As if it had made and kept 46 more.
  await table.send(
    new UpdateCommand({
      TableName: inject('service').tableName,
      Key: organizationKey(organization.id),
      UpdateExpression: 'SET pipelines = :n',
      ConditionExpression: 'pipelines = :one',
      ExpressionAttributeValues: { ':n': 47, ':one': 1 },
    }),
  );
  const outcomes = (await atOnce(8, () => organization.post('/pipelines', pipeline))).map(outcome);
  expect(outcomes.filter((one) => one === 201).length).toBe(3);
  expect(outcomes.filter((one) => one === 'limit_reached').length).toBe(5);
  expect((await organization.get('/pipelines')).body.items.length).toBe(4);
});

test('changes at once with one key and one version are one change, with equal answers', async () => {
  const organization = await provision();
  const path = `/pipelines/${organization.pipelineId}`;
  for (let version = 1; version <= 3; version++) {
    const headers = { 'idempotency-key': randomUUID(), 'if-match': `"${version}"` };
    const answers = await atOnce(8, () =>
      organization.patch(path, { name: `after ${version}` }, { headers }),
    );
    expect(answers.map(outcome)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  }
});

describe('a change', () => {
  test('touches just what it names, and makes the next version', async () => {
    const organization = await provision();
    const path = `/pipelines/${organization.pipelineId}`;
    const before = (await organization.get(path)).body;
    const options = { headers: { 'content-type': 'application/merge-patch+json' } };
    const { body, headers } = await organization.patch(path, { name: 'Renamed' }, options);
    expect(body).toEqual({ ...before, name: 'Renamed', updated_at: body.updated_at });
    expect(body.updated_at > before.updated_at).toBe(true);
    expect(headers.get('etag')).toBe('"2"');
    const read = await organization.get(path);
    expect([read.body, read.headers.get('etag')]).toEqual([body, '"2"']);
  });

  test('of what makes a contact unique holds for the leads that come after', async () => {
    const organization = await provision();
    const path = `/pipelines/${organization.pipelineId}`;
    const post = async () => {
      const fields = { contact_name: 'x', phone: '+5511987654321' };
      const lead = { ...fields, pipeline_id: organization.pipelineId };
      return outcome(await organization.post('/leads', lead));
    };
    expect([await post(), await post()]).toEqual([201, 201]);
    await organization.patch(path, { unique_contact: ['phone'] });
    expect([await post(), await post()]).toEqual([201, 'duplicate_lead']);
  });

  test('of ten at once that want one version, one is made', async () => {
    const organization = await provision();
    const path = `/pipelines/${organization.pipelineId}`;
    const answers = await atOnce(10, (i) =>
      organization.patch(path, { name: `${i}` }, match('"1"')),
    );
    const made = answers.filter(({ status }) => status === 200);
    const refused = answers.filter((answer) => outcome(answer) === 'precondition_failed');
    expect([made.length, refused.length]).toEqual([1, 9]);
    expect((await organization.get(path)).body).toEqual(made[0]?.body);
    expect(outcome(await organization.patch(path, { name: 'N' }, match('"2"')))).toBe(200);
  });

  test('of three at once, none is lost', async () => {
    const organization = await provision();
    const path = `/pipelines/${organization.pipelineId}`;
    const changes = [{ name: 'N' }, { default_stage: 'qualified' }, { unique_contact: [] }];
    const answers = await Promise.all(changes.map((fields) => organization.patch(path, fields)));
    expect(answers.map(outcome)).toEqual([200, 200, 200]);
    const { body, headers } = await organization.get(path);
    expect(body).toMatchObject(Object.assign({}, ...changes));
    expect(headers.get('etag')).toBe('"4"');
  });
});
