import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { roles } from '../../../lib/operations/permissions.ts';
import { provision } from '../../support/organization.ts';
import { itemsOf } from '../../support/table.ts';
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
  expectFailure(await admin.run('organization', 'limit', randomUUID(), '200'), /is no organ/, 2);
});

test('organization list finds those whose names begin so, by name and a page at a time', async () => {
  const beginning = `Ávila ${randomUUID()}`;
  const ids: string[] = [];
  for (const last of ['c', 'A', 'b']) {
    ids.push((await provision({ name: `${beginning} ${last}` })).id);
  }
  const [c, a, b] = ids;
  const list = async (...more: string[]) => {
    const name = beginning.replace('Á', 'a').toUpperCase();
    return admin.json('organization', 'list', '--name', name, ...more);
  };
  const idsOf = ({ items }: { items: { organization_id: string }[] }) =>
    items.map(({ organization_id }) => organization_id);
  const all = await list();
  expect([idsOf(all), all.next]).toEqual([[a, b, c], null]);
  expect(all.items[0]).toMatchObject({ name: `${beginning} A`, suspended_at: null });
  const first = await list('--limit', '2');
  expect(idsOf(first)).toEqual([a, b]);
  expect(idsOf(await list('--limit', '2', '--after', first.next))).toEqual([c]);
  await admin.json('organization', 'suspend', b!);
  const suspended = (await list()).items[1];
  expect(suspended).toMatchObject({ organization_id: b, suspended_at: expect.any(String) });
  await admin.json('organization', 'resume', b!);
  expect((await list()).items[1].suspended_at).toBeNull();
  expect(idsOf(await admin.json('organization', 'list', '--limit', '1'))).toHaveLength(1);
});

test('organization suspend, resume, rename and currency change it at once, and a repeat changes nothing', async () => {
  const own = await provision({ name: 'Cedro' });
  for (let i = 0; i < 2; i++) {
    expect(await admin.json('organization', 'suspend', own.id)).toEqual({
      id: own.id,
      suspended: true,
    });
    expect((await own.get('/organization')).body.error.code).toBe('organization_suspended');
  }
  const shown = await admin.json('organization', 'show', own.id);
  expect(Date.parse(shown.suspended_at)).toBeGreaterThan(0);
  await admin.json('organization', 'rename', own.id, 'Ipê');
  await admin.json('organization', 'currency', own.id, 'BRL');
  await admin.json('organization', 'resume', own.id);
  await admin.json('organization', 'resume', own.id);
  const { body } = await own.get('/organization');
  expect(body).toMatchObject({ name: 'Ipê', currency: 'BRL', suspended: false });
  await own.lead({ value_cents: 5 });
  const valued = await admin.run('organization', 'currency', own.id, 'USD');
  expectFailure(valued, /while a lead has a value/);
  const { facts } = (await itemsOf(`ORG#${own.id}`))[0]!;
  expect(facts).toBe(5);
  expectFailure(await admin.run('organization', 'rename', own.id, ' '), /It must/);
  expectFailure(await admin.run('organization', 'currency', own.id, 'ABCD'), /ISO 4217/);
  expectFailure(await admin.run('organization', 'suspend', randomUUID()), /is no organization/, 2);
});

test('member organizations lists those of a user', async () => {
  const own = await provision({ name: 'Cedro' });
  const { id } = await provision({ name: 'Abacate' }, own);
  const ofUser = await admin.json('member', 'organizations', own.users.agent);
  expect(ofUser).toEqual([
    { id, name: 'Abacate', role: 'agent' },
    { id: own.id, name: 'Cedro', role: 'agent' },
  ]);
  expect(await admin.json('member', 'organizations', randomUUID())).toEqual([]);
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
  await admin.json('member', 'remove', own.id, own.users.viewer, '--yes');
  expect((await own.get('/leads', { role: 'viewer' })).status).toBe(403);
  expect((await own.get('/leads', { role: 'agent' })).status).toBe(200);
  expectFailure(
    await admin.run('member', 'remove', own.id, own.users.viewer, '--yes'),
    /is not a member/,
    2,
  );
  expectFailure(
    await admin.run('member', 'remove', own.id, own.users.owner, '--yes'),
    /at least one owner/,
  );
});
