import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freePort } from '../infra/local/machine/free-port.ts';
import { walletKey } from '../lib/table/keys.ts';
import { type Organization, provision } from './support/organization.ts';
import { table } from './support/table.ts';

// The command line itself, in a process of its own, against the running service.

const main = join(import.meta.dirname, '../infra/admin/main.ts');
const service = inject('service');

let directory: string;
let readyFile: string;
let organization: Organization;

const ready = {
  base_url: service.baseUrl,
  dynamodb_endpoint: service.tableEndpoint,
  lambda_endpoint: service.lambdaEndpoint,
  table_name: service.tableName,
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-admin-'));
  readyFile = join(directory, 'service.json');
  await writeFile(readyFile, JSON.stringify(ready));
  organization = await provision({ name: 'Cedro', wallet: { pack_stars: 7 } });
});

afterAll(() => rm(directory, { recursive: true }));

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

const runWith = (variables: Record<string, string>, ...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: directory, ...variables };
    execFile(process.execPath, [main, ...args], { cwd: directory, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, stdout: out, stderr: err }),
    );
  });

const run = (...args: string[]): Promise<Ran> => runWith({}, ...args, '--ready-file', readyFile);

const json = async (...args: string[]) => {
  const ran = await run(...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
};

const expectFailure = (ran: Ran, message: RegExp) => {
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.trim().split('\n').length).toBe(1);
};

describe('organization', () => {
  test('create makes one that works at once; a repeat makes no second one', async () => {
    const id = randomUUID();
    const owner = randomUUID();
    const args = ['organization', 'create', '--name', 'Ipê', '--id', id.toUpperCase()];
    const all = [...args, '--member', `owner=${owner}`, '--pack-stars', '9'];
    const made = await json(...all);
    expect(made).toMatchObject({ organization_id: id, pipelines: [{ default_stage: 'new' }] });
    expect(await json(...all)).toEqual(made);
    expect(await json('member', 'list', id)).toEqual([{ user_id: owner, role: 'owner' }]);
    expect((await json('wallet', 'show', id)).total_stars).toBe(9);
  });

  test('create takes the whole input from a file, and options before it', async () => {
    const file = join(directory, 'organization.json');
    const members = [{ user_id: randomUUID(), role: 'owner' }];
    const pipelines = [{ name: 'Funnel', stages: [{ name: 'hot', outcome: 'open' }] }];
    await writeFile(file, JSON.stringify({ name: 'Of the file', members, pipelines }));
    const made = await json('organization', 'create', '--input', file, '--name', 'Of the option');
    expect(await json('organization', 'show', made.organization_id)).toMatchObject({
      name: 'Of the option',
      members: 1,
      pipelines: [{ name: 'Funnel', default_stage: 'hot' }],
    });
  });

  test('create is refused what the service refuses, and says why', async () => {
    const args = ['organization', 'create', '--name', 'Cedro'];
    const member = `agent=${randomUUID()}`;
    expectFailure(await run(...args, '--member', member), /must have an owner/);
    const taken = [...args, '--id', organization.id, '--member', `owner=${randomUUID()}`];
    expectFailure(await run(...taken), /is taken/);
  });

  test('show is for people unless JSON is asked for', async () => {
    const { stdout, code } = await run('organization', 'show', organization.id);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^organization +created_at .*\nCedro +\S+ +5 +.*Sales +new, contacted/);
    expect(() => JSON.parse(stdout)).toThrow();
  });
});

describe('member', () => {
  const rolesIn = async ({ id }: Organization) =>
    Object.fromEntries(
      (await json('member', 'list', id)).map((one: { user_id: string; role: string }) => [
        one.user_id,
        one.role,
      ]),
    );

  test('put adds someone, and changes a role, at once', async () => {
    const own = await provision();
    const user_id = randomUUID();
    expect(await json('member', 'put', own.id, user_id, 'viewer')).toEqual({
      user_id,
      role: 'viewer',
    });
    expect((await rolesIn(own))[user_id]).toBe('viewer');
    expect((await own.lead({}, { role: 'agent' })).id).toBeTruthy();
    await json('member', 'put', own.id, own.users.agent, 'viewer');
    const body = { contact_name: 'Maria', pipeline_id: own.pipelineId };
    expect((await own.post('/leads', body, { role: 'agent' })).status).toBe(403);
  });

  test('remove removes someone at once, and nobody else', async () => {
    const own = await provision();
    expect((await own.get('/leads', { role: 'viewer' })).status).toBe(200);
    await json('member', 'remove', own.id, own.users.viewer);
    expect((await own.get('/leads', { role: 'viewer' })).status).toBe(403);
    expect((await own.get('/leads', { role: 'agent' })).status).toBe(200);
    expectFailure(await run('member', 'remove', own.id, own.users.viewer), /is no member/);
  });

  test('the last owner stays one, until there is another', async () => {
    const own = await provision();
    const { owner, agent } = own.users;
    expectFailure(await run('member', 'remove', own.id, owner), /at least one owner/);
    expectFailure(await run('member', 'put', own.id, owner, 'admin'), /at least one owner/);
    expect((await rolesIn(own))[owner]).toBe('owner');
    await json('member', 'put', own.id, agent, 'owner');
    await json('member', 'put', own.id, agent, 'owner');
    await json('member', 'remove', own.id, owner);
    expectFailure(await run('member', 'remove', own.id, agent), /at least one owner/);
    expect(await rolesIn(own)).toMatchObject({ [agent]: 'owner' });
  });
});

test('member list has every member and role, and no one of another organization', async () => {
  const users = Object.entries(organization.users).map(([role, user_id]) => ({ user_id, role }));
  const byId = (a: { user_id: string }, b: { user_id: string }) => (a.user_id < b.user_id ? -1 : 1);
  expect(await json('member', 'list', organization.id)).toEqual(users.sort(byId));
});

describe('wallet', () => {
  test('show has what the members see', async () => {
    const { body } = await organization.get('/billing/balance', { role: 'billing' });
    const shown = await json('wallet', 'show', organization.id);
    const { as_of: _then, ...seen } = body;
    const { as_of: _now, ...same } = shown;
    expect(same).toEqual(seen);
  });

  test('history has its entries, newest first', async () => {
    expect(await json('wallet', 'history', organization.id)).toMatchObject([
      { version: 1, type: 'organization.provisioned', pack_change: 7, pack_after: 7 },
    ]);
    const empty = await provision();
    expect(await json('wallet', 'history', empty.id)).toEqual([]);
  });
});

describe('wallet audit', () => {
  test('tells a wallet that is what its entries sum to from one that is not', async () => {
    const { id } = await provision({ wallet: { pack_stars: 7 } });
    await run('wallet', 'grant', id, '--stars=5', '--reason', 'Test');
    const sound = { sound: true, entries: 2, monthly_stars: 0, pack_stars: 12 };
    expect(await json('wallet', 'audit', id)).toEqual(sound);
    const change = (pack_stars: number) =>
      table.send(
        new UpdateCommand({
          TableName: service.tableName,
          Key: walletKey(id),
          UpdateExpression: 'SET pack_stars = :stars',
          ExpressionAttributeValues: { ':stars': pack_stars },
        }),
      );
    await change(11);
    expectFailure(await run('wallet', 'audit', id), /wrong: .* 11 pack stars; .* 2 with 0 and 12/);
    await change(12);
    expect(await json('wallet', 'audit', id)).toEqual(sound);
  });
});

describe('wallet grant', () => {
  test('gives stars once for an event id, and takes some back, but never more than there are', async () => {
    const { id } = await provision();
    const grant = (stars: string, ...more: string[]) =>
      run('wallet', 'grant', id, `--stars=${stars}`, '--reason', 'Test', '--json', ...more);
    const packStars = async (ran: Promise<Ran>) => JSON.parse((await ran).stdout).pack_stars;
    expect(await packStars(grant('500', '--event-id', 'once'))).toBe(500);
    expect(await packStars(grant('500', '--event-id', 'once'))).toBe(500);
    expect(await packStars(grant('-200'))).toBe(300);
    const refused = await grant('-301');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    const shown = await run('wallet', 'show', id, '--json');
    expect(JSON.parse(shown.stdout).pack_stars).toBe(300);
  });
});

describe('plan', () => {
  test('put adds a plan or replaces the one of its tier, and list has it', async () => {
    const put = (price: string) =>
      run(
        'plan',
        'put',
        'admin-test',
        '--name',
        'Test',
        '--stars',
        '5',
        '--price-cents',
        price,
        '--currency',
        'BRL',
      );
    expect((await put('100')).code).toBe(0);
    expect((await put('200')).stdout).toContain('admin-test');
    const listed = JSON.parse((await run('plan', 'list', '--json')).stdout);
    expect(listed.filter(({ tier }: { tier: string }) => tier === 'admin-test')).toEqual([
      {
        tier: 'admin-test',
        name: 'Test',
        monthly_grant_stars: 5,
        price_cents: 200,
        currency: 'BRL',
      },
    ]);
    const bad = await run(
      'plan',
      'put',
      'x',
      '--name',
      'X',
      '--stars',
      '5',
      '--price-cents',
      '1',
      '--currency',
      'XYZ',
    );
    expect([bad.code, bad.stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(bad.stderr).toContain('currency');
  });
});

describe('says in one line what is wrong', () => {
  const id = randomUUID();

  test.each([
    ['an unknown organization', ['member', 'list', id], /no organization/],
    ['… and a member for it', ['member', 'put', id, id, 'agent'], /no organization/],
    ['… and its wallet', ['wallet', 'show', id], /no organization/],
    ['an id that is none', ['organization', 'show', 'cedro'], /must be a UUID/],
    ['an unknown command', ['organization', 'destroy', id], /unknown command/],
    ['an unknown role', ['member', 'put', id, id, 'king'], /must be one of/],
    [
      '… of a new organization',
      ['organization', 'create', '--member', `king=${id}`],
      /must be one of/,
    ],
    ['a limit of 0', ['wallet', 'history', id, '--limit', '0'], /whole number/],
    ['an unreadable input', ['organization', 'create', '--input', 'none'], /can't be read/],
    ['two services', ['member', 'list', id, '--stack', 'S'], /one of --stack and --ready-file/],
    ['a profile for the runner', ['member', 'list', id, '--profile', 'p'], /--stack/],
  ])('%s', async (_name, args, message) => {
    expectFailure(await run(...args), message);
  });

  test('no running service', async () => {
    expectFailure(await runWith({}, 'member', 'list', id), /no \.local\/service\.json: start/);
  });

  test('a service that has ended', async () => {
    const file = join(directory, 'ended.json');
    const dynamodb_endpoint = `http://127.0.0.1:${await freePort()}`;
    await writeFile(file, JSON.stringify({ ...ready, dynamodb_endpoint }));
    const ran = await runWith({}, 'member', 'list', id, '--ready-file', file);
    expectFailure(ran, /does not answer/);
  });

  test('a stack without credentials', async () => {
    const variables = { AWS_EC2_METADATA_DISABLED: 'true' };
    const args = ['member', 'list', id, '--stack', 'S', '--region', 'us-east-1'];
    expectFailure(await runWith(variables, ...args), /credentials/);
  });
});

test.each([
  [['organization', 'create']],
  [['organization', 'show']],
  [['member', 'list']],
  [['member', 'put']],
  [['member', 'remove']],
  [['wallet', 'show']],
  [['wallet', 'history']],
])('help of %s has an example that names it', async (args) => {
  const { code, stdout } = await run(...args, '--help');
  expect(code).toBe(0);
  expect(stdout).toContain(`npm run admin -- ${args.join(' ')}`);
});
