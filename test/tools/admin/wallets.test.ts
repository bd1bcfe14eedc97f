import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import type { Change } from '../../../lib/changes/change.ts';
import type { Item } from '../../../lib/table/table.ts';
import { hold, release, spend } from '../../support/billing.ts';
import type { Step } from '../../support/faults/step.ts';
import { feedStart, feedUntil, readFeed } from '../../support/feed.ts';
import { ledgerEntryKey, walletKey } from '../../support/keys.ts';
import { pastCommits, provision } from '../../support/organization.ts';
import { itemsOf, setFields, table } from '../../support/table.ts';
import { Admin, expectFailure, losesAnswers } from './admin.ts';

const admin = new Admin();
const TableName = inject('service').tableName;

const withSevenStars = () => provision({ name: pastCommits, wallet: { pack_stars: 7 } });
const grant = (id: string, stars: number, ...more: string[]) => [
  ...['wallet', 'grant', id, `--stars=${stars}`, '--reason', 'Test'],
  ...more,
];
const audit = (id: string) => admin.run('wallet', 'audit', id);
const isSound = async (id: string) => expect((await audit(id)).stderr).toBe('');
const isWrong = async (id: string, why: RegExp) => expectFailure(await audit(id), why, 3);

const put = (item: Item) => table.send(new PutCommand({ TableName, Item: item }));
const remove = ({ pk, sk }: Item) => table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));

test('show has what the members see, and history the entries', async () => {
  const organization = await withSevenStars();
  const { body } = await organization.get('/billing/balance', { role: 'billing' });
  const shown = await admin.json('wallet', 'show', organization.id);
  expect({ ...shown, as_of: body.as_of }).toEqual(body);
  expect(await admin.json('wallet', 'history', organization.id)).toMatchObject([
    { version: 1, type: 'organization.provisioned', pack_change: 7, pack_after: 7 },
  ]);
});

test('history tells who spent on what and why, each entry in a line', {
  tags: ['long'],
}, async () => {
  const organization = await withSevenStars();
  const purpose = { reason: 'Summarizes a call', feature: 'summary', spender: 'job:1' };
  const user_id = organization.users.owner;
  await organization.put(`/members/${user_id}`, { role: 'owner', name: 'Ana Souza' });
  const spent = await spend(organization, 2, { event_id: 'first', ...purpose });
  const byAna = {
    user_id,
    user_name: 'Ana Souza',
    request_id: spent.headers.get('x-request-id'),
  };
  const byCommand = { user_id: 'platform', user_name: 'platform', request_id: null };
  await admin.json(...grant(organization.id, 5, '--event-id', 'gift'));
  const { stdout } = await admin.run('wallet', 'history', organization.id);
  expect(JSON.parse(stdout)).toMatchObject([
    { type: 'stars.adjusted', event_id: 'gift', pack_change: 5, reason: 'Test', ...byCommand },
    { type: 'stars.spent', event_id: 'first', pack_change: -2, ...purpose, ...byAna },
    { type: 'organization.provisioned', pack_after: 7 },
  ]);
  expect(stdout.trimEnd().split('\n').length).toBe(3);
});

test('holds lists the open ones, the soonest to expire first', { tags: ['long'] }, async () => {
  const organization = await withSevenStars();
  const { id } = organization;
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
});

test('audit tells a wallet that is what its entries sum to from one that is not', async () => {
  const { id } = await withSevenStars();
  await admin.run(...grant(id, 5));
  const sound = { sound: true, entries: 2, monthly_stars: 0, pack_stars: 12 };
  expect(await admin.json('wallet', 'audit', id)).toEqual(sound);
  // As a restore can leave it, which is not of one moment.
  await setFields(walletKey(id), { pack_stars: 7, version: 1 });
  await isWrong(id, /wrong: it is as entry 1 left it, and there are entries up to 2/);
  await setFields(walletKey(id), { pack_stars: 11, version: 2 });
  await isWrong(id, /wrong: .* 11 pack stars, 0 of them held, 0 owed; .* 2 with 0, 12, 0 and 0/);
});

test('audit holds what is held against the open holds, of which a restore can lose one or bring one back', {
  tags: ['long'],
}, async () => {
  const organization = await withSevenStars();
  const { id } = organization;
  await hold(organization, 'first', 3);
  await hold(organization, 'second', 2);
  const [open] = await itemsOf(`HOLDS#${id}`);
  await isSound(id);
  await remove(open!);
  await isWrong(id, /wrong: it counts 2 open holds with 5 stars, and there are 1 with 2\./);
  await put(open!);
  await put({ ...open, sk: `${open!.sk}-other`, hold_id: 'other' });
  await isWrong(id, /wrong: it counts 2 open holds with 5 stars, and there are 3 with 8\./);
});

test('a wallet that is wrong is sound again by its runbook, and goes on, as does the feed', {
  tags: ['long'],
}, async () => {
  const mended = await withSevenStars();
  const { id } = mended;
  const entry = (version: number) => ledgerEntryKey(id, version);
  const start = await feedStart(mended, { firstStars: true });
  const entriesIn = (feed: readonly Change[]) =>
    feed.filter((one) => one.type === 'wallet.changed');
  const versions = async () => entriesIn(await readFeed(mended)).map(({ version }) => version);
  const feedUpTo = (version: number) =>
    feedUntil(mended, (one) => one.type === 'wallet.changed' && one.version === version);
  await admin.json(...grant(id, 5));
  await feedUpTo(2);

  // An entry was changed, or removed.
  const [, second] = await itemsOf(entry(2).pk);
  await setFields(entry(2), { pack_after: 99 });
  await isWrong(id, /wrong: entry 2 does not follow 1/);
  await put(second!);
  await isSound(id);
  await remove(second!);
  await isWrong(id, /wrong: .* its 1 entries end at version 1/);
  await admin.json(...grant(id, 1));
  const gap = async () => (await mended.get(`/changes?after=${start}`)).body;
  expect(await gap()).toMatchObject({ items: [], last_sequence: start });
  await put(second!);
  await isSound(id);
  await feedUpTo(3);
  expect(await versions()).toEqual([1, 2, 3]);

  // The wallet was changed, and the service wrote an entry.
  await setFields(walletKey(id), { pack_stars: 113 });
  await admin.json(...grant(id, 2));
  await isWrong(id, /wrong: entry 4 does not follow 3/);
  expect((await mended.get('/billing/history')).status).toBe(500);
  await setFields(entry(4), { pack_change: 102 });
  await isSound(id);
  expect(await admin.json(...grant(id, -100))).toMatchObject({ pack_stars: 15 });
  expect((await mended.get('/billing/history')).status).toBe(200);
});

test('grant gives stars once for an event id, and takes some back, but never more than there are', async () => {
  const { id } = await provision({ name: pastCommits });
  const packStars = async (stars: number, ...more: string[]) =>
    (await admin.json(...grant(id, stars, ...more))).pack_stars;
  expect(await packStars(500, '--event-id', 'once')).toBe(500);
  expect(await packStars(500, '--event-id', 'once')).toBe(500);
  expect(await packStars(-200)).toBe(300);
  expect(await admin.run(...grant(id, -301))).toMatchObject({ code: 1, stdout: '' });
  expect((await admin.json('wallet', 'show', id)).pack_stars).toBe(300);
});

test('a grant whose answer is lost names the event id with which it can be repeated', {
  tags: ['long'],
}, async () => {
  const { id } = await provision({ name: pastCommits });
  const lost = await admin.runBehind(losesAnswers, ...grant(id, 5));
  const told = /may have been given, or not\. .* --event-id [\w-]{36}: .* What happened: \S/;
  expectFailure(lost, told);
  const eventId = /--event-id ([\w-]+)/.exec(lost.stderr)![1]!;
  const again = await admin.json(...grant(id, 5, '--event-id', eventId));
  expect(again).toMatchObject({ pack_stars: 5 });
});

test('a grant gives nothing by a clock that is wrong', { tags: ['long'] }, async () => {
  const { id } = await provision({ name: pastCommits });
  const by = (seconds: number) => {
    const skewed: Step = async (_, pass) => {
      const { headers, ...reply } = await pass();
      const date = new Date(Date.now() - seconds * 1000).toUTCString();
      return { ...reply, headers: { ...headers, date } };
    };
    return admin.runBehind(skewed, ...grant(id, 5));
  };
  expectFailure(await by(7), /is [78] s ahead of DynamoDB's\..* nothing was given\.$/m);
  expectFailure(await by(-7), /is [67] s behind DynamoDB's\./);
  expect(JSON.parse((await by(3)).stdout)).toMatchObject({ pack_stars: 5 });
});
