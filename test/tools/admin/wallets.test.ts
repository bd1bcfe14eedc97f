import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, test } from 'vitest';
import { type Key, ledgerEntryKey, walletKey } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import { hold, release } from '../../support/billing.ts';
import type { Ran } from '../../support/command-line.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import type { Step } from '../../support/faults/step.ts';
import { feedUntil, readFeed } from '../../support/feed.ts';
import { provision } from '../../support/organization.ts';
import { itemsOf, table } from '../../support/table.ts';
import { Admin, expectFailure, ready } from './admin.ts';

const admin = new Admin();
const organization = await provision({ name: 'Cedro', wallet: { pack_stars: 7 } });

describe('wallet', () => {
  test('show has what the members see', async () => {
    const { body } = await organization.get('/billing/balance', { role: 'billing' });
    const shown = await admin.json('wallet', 'show', organization.id);
    const { as_of: _then, ...seen } = body;
    const { as_of: _now, ...same } = shown;
    expect(same).toEqual(seen);
  });

  test('history has its entries, newest first', async () => {
    expect(await admin.json('wallet', 'history', organization.id)).toMatchObject([
      { version: 1, type: 'organization.provisioned', pack_change: 7, pack_after: 7 },
    ]);
    const empty = await provision();
    expect(await admin.json('wallet', 'history', empty.id)).toEqual([]);
  });
});

test('wallet holds lists the open ones, the soonest to expire first', {
  tags: ['long'],
}, async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const { id } = organization;
  expect(await admin.json('wallet', 'holds', id)).toEqual([]);
  const purpose = { reason: 'Summarizes a call', feature: 'summary', spender: 'job:1' };
  await hold(organization, 'later', 2);
  await hold(organization, 'soon', 3, { expires_in_seconds: 60, ...purpose });
  await hold(organization, 'ended', 1);
  await release(organization, 'ended');
  const time = expect.stringMatching(/^20.*Z$/);
  const open = { held_at: time, expires_at: time, expired: false };
  expect(await admin.json('wallet', 'holds', id)).toEqual([
    { hold_id: 'soon', stars: 3, ...purpose, ...open },
    { hold_id: 'later', stars: 2, reason: null, feature: null, spender: null, ...open },
  ]);
  const { stdout } = await admin.run('wallet', 'holds', id);
  expect(stdout).toMatch(/soon .*3 .* no .*Summarizes a call/);
});

describe('wallet audit', () => {
  test('tells a wallet that is what its entries sum to from one that is not', async () => {
    const { id } = await provision({ wallet: { pack_stars: 7 } });
    await admin.run('wallet', 'grant', id, '--stars=5', '--reason', 'Test');
    const sound = { sound: true, entries: 2, monthly_stars: 0, pack_stars: 12 };
    expect(await admin.json('wallet', 'audit', id)).toEqual(sound);
    const change = (pack_stars: number, version = 2) =>
      table.send(
        new UpdateCommand({
          TableName: inject('service').tableName,
          Key: walletKey(id),
          UpdateExpression: 'SET pack_stars = :stars, version = :version',
          ExpressionAttributeValues: { ':stars': pack_stars, ':version': version },
        }),
      );
    // As a restore can leave it, which is not of one moment.
    await change(7, 1);
    expectFailure(
      await admin.run('wallet', 'audit', id),
      /wrong: it is as entry 1 left it, and there are entries up to 2/,
    );
    await change(11);
    expectFailure(
      await admin.run('wallet', 'audit', id),
      /wrong: .* 11 pack stars, 0 of them held; .* 2 with 0, 12 and 0/,
    );
    await change(12);
    expect(await admin.json('wallet', 'audit', id)).toEqual(sound);
  });
});

test('audit holds what is held against the open holds, of which a restore can lose one or bring one back', {
  tags: ['long'],
}, async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const { id } = organization;
  const TableName = inject('service').tableName;
  const audit = () => admin.run('wallet', 'audit', id);
  await hold(organization, 'first', 3);
  await hold(organization, 'second', 2);
  const [open] = await itemsOf(`HOLDS#${id}`);
  const { pk, sk } = open!;
  const put = (Item: Item) => table.send(new PutCommand({ TableName, Item }));
  const remove = (Key: Item) => table.send(new DeleteCommand({ TableName, Key }));
  expect((await audit()).stderr).toBe('');
  await remove({ pk, sk });
  expectFailure(
    await audit(),
    /wrong: it counts 2 open holds with 5 stars, and there are 1 with 2\./,
  );
  await put(open!);
  await put({ ...open, sk: `${sk}-other`, hold_id: 'other' });
  expectFailure(
    await audit(),
    /wrong: it counts 2 open holds with 5 stars, and there are 3 with 8\./,
  );
  await remove({ pk, sk: `${sk}-other` });
  expect((await audit()).stderr).toBe('');
});

test('a wallet that is wrong is sound again by its runbook, and goes on, as does the feed', {
  tags: ['long'],
}, async () => {
  const mended = await provision({ wallet: { pack_stars: 7 } });
  const { id } = mended;
  const TableName = inject('service').tableName;
  const grant = (stars: number) =>
    admin.json('wallet', 'grant', id, `--stars=${stars}`, '--reason', 'Test');
  const set = (Key: Key, name: string, to: number) =>
    table.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: 'SET #name = :to',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':to': to },
      }),
    );
  const entry = (version: number) => ledgerEntryKey(id, version);
  const audit = () => admin.run('wallet', 'audit', id);
  await grant(5);
  const versions = async () => (await readFeed(mended)).map(({ version }) => version);
  await feedUntil(mended, ({ version }) => version === 2);

  // An entry was changed, or removed.
  const [, second] = await itemsOf(entry(2).pk);
  const putBack = () => table.send(new PutCommand({ TableName, Item: second }));
  await set(entry(2), 'pack_after', 99);
  expectFailure(await audit(), /wrong: entry 2 does not follow 1/);
  await putBack();
  expect((await audit()).stderr).toBe('');
  await table.send(new DeleteCommand({ TableName, Key: entry(2) }));
  expectFailure(await audit(), /wrong: .* its 1 entries end at version 1/);
  await grant(1);
  const gap = async () => (await mended.get('/changes?after=1')).body;
  expect(await gap()).toMatchObject({ items: [], last_sequence: 1 });
  await putBack();
  expect((await audit()).stderr).toBe('');
  await feedUntil(mended, ({ version }) => version === 3);
  expect(await versions()).toEqual([1, 2, 3]);

  // The wallet was changed, and the service wrote an entry.
  await set(walletKey(id), 'pack_stars', 113);
  await grant(2);
  expectFailure(await audit(), /wrong: entry 4 does not follow 3/);
  expect((await mended.get('/billing/history')).status).toBe(500);
  await set(entry(4), 'pack_change', 102);
  expect((await audit()).stderr).toBe('');
  expect(await grant(-100)).toMatchObject({ pack_stars: 15 });
  expect((await mended.get('/billing/history')).status).toBe(200);
});

describe('wallet grant', () => {
  test('gives stars once for an event id, and takes some back, but never more than there are', async () => {
    const { id } = await provision();
    const grant = (stars: string, ...more: string[]) =>
      admin.run('wallet', 'grant', id, `--stars=${stars}`, '--reason', 'Test', '--json', ...more);
    const packStars = async (ran: Promise<Ran>) => JSON.parse((await ran).stdout).pack_stars;
    expect(await packStars(grant('500', '--event-id', 'once'))).toBe(500);
    expect(await packStars(grant('500', '--event-id', 'once'))).toBe(500);
    expect(await packStars(grant('-200'))).toBe(300);
    const refused = await grant('-301');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    const shown = await admin.run('wallet', 'show', id, '--json');
    expect(JSON.parse(shown.stdout).pack_stars).toBe(300);
  });

  test('whose answer is lost names the event id with which it can be repeated', {
    tags: ['long'],
  }, async () => {
    const { id } = await provision();
    const losing: Step = async ({ operation }, pass) => {
      const reply = await pass();
      return operation === 'TransactWriteItems' ? undefined : reply;
    };
    const proxy = await FaultProxy.start(inject('service').tableEndpoint, [losing]);
    const file = await admin.file('lossy.json', { ...ready, dynamodb_endpoint: proxy.endpoint });
    const grant = ['wallet', 'grant', id, '--stars=5', '--reason', 'Test'];
    const lost = await admin.runWith({}, ...grant, '--ready-file', file);
    await proxy.close();
    expectFailure(
      lost,
      /may have been given, or not\. .* --event-id [\w-]{36}: .* What happened: \S/,
    );
    const eventId = /--event-id ([\w-]+)/.exec(lost.stderr)![1]!;
    expect(await admin.json(...grant, '--event-id', eventId)).toMatchObject({ pack_stars: 5 });
  });

  test('gives nothing by a clock that is wrong', { tags: ['long'] }, async () => {
    const { id } = await provision();
    let ahead = 0;
    const skewed: Step = async (_, pass) => {
      const { headers, ...reply } = await pass();
      const date = new Date(Date.now() - ahead * 1000).toUTCString();
      return { ...reply, headers: { ...headers, date } };
    };
    const proxy = await FaultProxy.start(inject('service').tableEndpoint, [skewed]);
    const file = await admin.file('clock.json', { ...ready, dynamodb_endpoint: proxy.endpoint });
    const by = (seconds: number) => {
      ahead = seconds;
      const grant = ['wallet', 'grant', id, '--stars=5', '--reason', 'Test', '--json'];
      return admin.runWith({}, ...grant, '--ready-file', file);
    };
    expectFailure(await by(7), /is [78] s ahead of DynamoDB's\..* nothing was given\.$/m);
    expectFailure(await by(-7), /is [67] s behind DynamoDB's\./);
    const { stdout } = await by(3);
    await proxy.close();
    expect(JSON.parse(stdout)).toMatchObject({ pack_stars: 5 });
  });
});

describe('plan', () => {
  test('put adds a plan or replaces the one of its tier, and list has it', async () => {
    const put = (price: string) =>
      admin.run(
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
    const listed = JSON.parse((await admin.run('plan', 'list', '--json')).stdout);
    expect(listed.filter(({ tier }: { tier: string }) => tier === 'admin-test')).toEqual([
      {
        tier: 'admin-test',
        name: 'Test',
        monthly_grant_stars: 5,
        price_cents: 200,
        currency: 'BRL',
      },
    ]);
    const bad = await admin.run(
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
