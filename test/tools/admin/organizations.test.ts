import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { roles } from '../../../lib/operations/permissions.ts';
import { provision } from '../../support/organization.ts';
import { Admin, expectFailure, losesAnswers } from './admin.ts';

const admin = new Admin();
const organization = await provision({ name: 'Cedro', wallet: { pack_stars: 7 } });

test('organization create makes one that works at once; a repeat makes no second one', async () => {
  const id = randomUUID();
  const owner = randomUUID();
  const args = ['organization', 'create', '--name', 'Ipê', '--id', id.toUpperCase()];
  const all = [...args, '--member', `owner=${owner}`];
  const made = await admin.json(...all);
  expect(made).toMatchObject({ id, pipelines: [{ default_stage: 'new' }] });
  expect(await admin.json(...all)).toEqual(made);
  expect(await admin.json('member', 'list', id)).toEqual([
    { user_id: owner, role: 'owner', name: null },
  ]);
  expect((await admin.json('wallet', 'show', id)).total_stars).toBe(0);
});

test('organization create is refused what the service refuses, and says why', async () => {
  const args = ['organization', 'create', '--name', 'Cedro'];
  const member = `agent=${randomUUID()}`;
  expectFailure(await admin.run(...args, '--member', member), /must have an owner/);
  const taken = [...args, '--id', organization.id, '--member', `owner=${randomUUID()}`];
  expectFailure(await admin.run(...taken), /was made differently/);
});

test('organization create whose answer is lost names the id with which it can be repeated', {
  tags: ['long'],
}, async () => {
  const owner = `owner=${randomUUID()}`;
  const create = ['organization', 'create', '--name', 'Lost', '--member', owner];
  const lost = await admin.runBehind(losesAnswers, ...create);
  expectFailure(lost, /may have been made, or not\. .* --id [\w-]{36}: .* What happened: \S/);
  const id = /--id ([\w-]+)/.exec(lost.stderr)![1]!;
  expect((await admin.json('organization', 'show', id)).name).toBe('Lost');
  expect((await admin.json(...create, '--id', id)).id).toBe(id);
});

test('organization limit gives a limit of its own, shows it, and takes it away', {
  tags: ['long'],
}, async () => {
  const policy = async () =>
    (await organization.get('/organization')).headers.get('ratelimit-policy');
  const limit = async (...more: string[]) =>
    (await admin.json('organization', 'limit', organization.id, ...more)).requests_per_second;
  const before = await policy();
  expect(await limit()).toBeNull();
  expect(await limit('200')).toBe(200);
  expect(await policy()).toBe('"organization";q=400;w=2');
  expect(await limit()).toBe(200);
  expect(await limit('usual')).toBeNull();
  expect(await policy()).toBe(before);
  for (const wrong of ['9', '2501', '1.5']) {
    const ran = await admin.run('organization', 'limit', organization.id, wrong);
    expectFailure(ran, /from 10 to 2500/);
  }
  expectFailure(await admin.run('organization', 'limit', randomUUID(), '200'), /is no organ/);
});

test('organization list has every organization once, oldest first', async () => {
  const { id } = await provision({ name: 'Younger' });
  const all: { organization_id: string; created_at: string }[] = await admin.json(
    'organization',
    'list',
  );
  const ids = all.map(({ organization_id }) => organization_id);
  expect(ids.filter((one) => [organization.id, id].includes(one))).toEqual([organization.id, id]);
  expect(new Set(ids).size).toBe(all.length);
  const times = all.map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted());
});

test('organization show gives the terminal no orders that a tenant wrote', {
  tags: ['long'],
}, async () => {
  const own = await provision();
  const name = 'a\u001b]52;c;eA==\u0007\u009b2J\nb';
  const stages = [{ name: 'new', outcome: 'open' }];
  expect((await own.post('/pipelines', { name, stages })).status).toBe(201);
  const { stdout } = await admin.run('organization', 'show', own.id);
  expect(JSON.parse(stdout).pipelines.map((one: { name: string }) => one.name)).toContain(name);
  expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
});

test('member put adds someone, and changes a role, at once', async () => {
  const own = await provision();
  const user_id = randomUUID();
  const put = (...args: string[]) => admin.json('member', 'put', own.id, user_id, ...args);
  const name = 'Ana Souza';
  expect(await put('agent', '--name', name)).toEqual({ user_id, role: 'agent', name });
  expect(await put('viewer')).toEqual({ user_id, role: 'viewer', name });
  const long = ['viewer', '--name', 'x'.repeat(201)];
  const tooLong = await admin.run('member', 'put', own.id, user_id, ...long);
  expectFailure(tooLong, /at most 200/);
  const members: { user_id: string; role: string }[] = await admin.json('member', 'list', own.id);
  const others = roles.map((role) => ({ user_id: own.users[role], role, name: null }));
  const all = [...others, { user_id, role: 'viewer', name }];
  expect(new Set(members)).toEqual(new Set(all));
  expect((await own.lead({}, { role: 'agent' })).id).toBeTruthy();
  await admin.json('member', 'put', own.id, own.users.agent, 'viewer');
  const body = { contact_name: 'Maria', pipeline_id: own.pipelineId };
  expect((await own.post('/leads', body, { role: 'agent' })).status).toBe(403);
});

test('member remove removes someone at once, and nobody else', async () => {
  const own = await provision();
  expect((await own.get('/leads', { role: 'viewer' })).status).toBe(200);
  await admin.json('member', 'remove', own.id, own.users.viewer);
  expect((await own.get('/leads', { role: 'viewer' })).status).toBe(403);
  expect((await own.get('/leads', { role: 'agent' })).status).toBe(200);
  expectFailure(await admin.run('member', 'remove', own.id, own.users.viewer), /is not a member/);
  expectFailure(await admin.run('member', 'remove', own.id, own.users.owner), /at least one owner/);
});
