import { randomUUID } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { feedIdOf } from '../../../lib/changes/feed.ts';
import { places } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import { erasedWith } from '../../../tools/admin/erasure/erasure.ts';
import {
  foundElsewhere,
  partitionedById,
} from '../../../tools/admin/erasure/organization-parts.ts';
import { putEvent, spend } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { eventsUntil, inFeedOrder, type Sent } from '../../support/events-out.ts';
import { jsonReply } from '../../support/faults/failure-replies.ts';
import type { Step } from '../../support/faults/step.ts';
import { feedUntil } from '../../support/feed.ts';
import { lateRequests } from '../../support/late-requests.ts';
import { type Organization, provision, putOrganization } from '../../support/organization.ts';
import { chance, random, seed } from '../../support/random.ts';
import { table } from '../../support/table.ts';
import { kindOf, naming, scanTable, wholeOrganization } from '../../support/whole-organization.ts';
import { Admin, expectFailure } from './admin.ts';

const admin = new Admin();

const words = () => `w${randomUUID().slice(0, 8)}`;

/** Of an organization: its items, by its id, by its feed, and by a word that nobody else has. */
const itemsOf = (items: readonly Item[], { id }: Organization, word: string) =>
  naming(items, id, feedIdOf(id, inject('service').tableName), word);

const isRecord = ({ pk }: Item) => String(pk).startsWith('IDEMPOTENCY#');
const isTombstone = (item: Item) => places.tombstone.find(item as never) !== undefined;

const expectTombstoneOnly = (items: readonly Item[]) => {
  expect(items.filter((item) => !isRecord(item) && !isTombstone(item))).toEqual([]);
  expect(items.filter(isTombstone)).toHaveLength(1);
  // Time removes what was answered under idempotency keys, within three days.
  const within = Date.now() / 1000 + 24 * 60 * 60;
  for (const item of items.filter(isRecord)) expect(item.expires_at).toBeLessThan(within);
};

/** Kinds that an organization has for moments, or for days, if at all. */
const passing = ['tombstone', 'waitingRequest', 'wake'];

/** Kinds that name it beside their keys alone. */
const namingBeside: (keyof typeof places)[] = ['apiKey', 'payment', 'subscriptionOwner'];

const name = (word: string) => `Cedro ${word}`;
const erase = (organization: Organization, word: string, ...more: string[]) => [
  ...['organization', 'erase', organization.id, '--name', name(word), '--now', '--no-wait'],
  ...more,
];

test('an organization is erased whole, wherever that was killed before, and others are as they were', async () => {
  const [word, otherWord] = [words(), words()];
  const own = await wholeOrganization(word, 12);
  const other = await wholeOrganization(otherWord);
  const before = await scanTable();
  const kinds = new Set(itemsOf(before, own, word).map(kindOf));
  const missing = [...partitionedById, ...foundElsewhere, ...namingBeside].filter(
    (one) => !kinds.has(one),
  );
  expect(missing.filter((one) => !passing.includes(one))).toEqual([]);

  console.info(`SEED=${seed}`);
  const next = random(seed);
  const ran: number[] = [];
  for (let kills = 0; kills < (inject('quick') ? 3 : 6); kills++) {
    let left = 2 + Math.floor(next() * 60);
    const isDone = chance(next, 0.5);
    const killed: Step = async (_request, pass) => {
      if (left-- > 0) return pass();
      // What was asked last may have been done.
      if (left === -1 && isDone) await pass();
      return jsonReply(400, {
        __type: 'com.amazon.coral.service#AccessDeniedException',
        message: 'killed',
      });
    };
    const { code } = await admin.runBehind(killed, ...erase(own, word));
    ran.push(code ?? -1);
  }
  expect(ran, `SEED=${seed}`).toContain(1);
  const done = await admin.run(...erase(own, word));
  expect(done.code, done.stderr).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ id: own.id, kept_ledger: false });

  const after = await scanTable();
  expectTombstoneOnly(itemsOf(after, own, word));
  const byKey = (items: readonly Item[]) =>
    new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  const [others, othersBefore] = [after, before].map((all) =>
    byKey(itemsOf(all, other, otherWord)),
  );
  expect(others!.size).toBeGreaterThan(100);
  expect(others).toEqual(othersBefore);
});

test('the bus hears of the erasure once, after all that happened before', async () => {
  const word = words();
  const own = await wholeOrganization(word);
  for (let i = 0; i < 2; i++) expect((await admin.run(...erase(own, word))).code).toBe(0);
  const isErasure = ({ detail }: Sent) => detail.type === 'organization.erased';
  const sent = inFeedOrder(await eventsUntil(own.id, isErasure));
  expect(sent.map(({ detail }) => detail.type)).toContain('organization.suspended');
  expect(sent.filter(isErasure)).toEqual([sent.at(-1)]);
  expect(sent.at(-1)).toMatchObject({
    'detail-type': 'organization.erased',
    detail: { organization_id: own.id, user_id: 'platform', changed: [] },
  });
});

test('the ledger stays where the law wants it, without names; the id is never made again, and late events are acknowledged', async () => {
  const word = words();
  const own = await wholeOrganization(word);
  const { code, stdout } = await admin.run(...erase(own, word, '--keep-ledger'));
  expect([code, JSON.parse(stdout).kept_ledger]).toEqual([0, true]);
  const left = (await scanTable(own.id)).filter((item) => !isRecord(item));
  const kept = left.filter((item) => !isTombstone(item));
  expect(kept.length).toBeGreaterThan(4);
  const ledgers = [places.ledgerEntry, places.notice].map((place) =>
    place.partition({ organizationId: own.id }),
  );
  expect(kept.filter(({ pk }) => !ledgers.includes(String(pk)))).toEqual([]);

  const members = [{ user_id: own.users.owner, role: 'owner' }];
  const again = await putOrganization(own.id, { name: name(word), members });
  expect([again.status, again.body.error.code]).toEqual([409, 'organization_id_reused']);
  const sold = { type: 'pack.purchased', stars: 3 };
  expect(await deliver([bodyOf(own, sold)])).toEqual([]);
  expect(await deliver([bodyOf({ id: randomUUID() }, sold)])).toEqual([0]);
  expect((await putEvent(own, sold)).body.error.code).toBe('forbidden');
  for (const role of ['owner', 'billing'] as const) {
    expect((await own.get('/organization', { role })).body.error.code).toBe('forbidden');
  }
  expect((await own.get('/me')).body.organizations).toEqual([]);
  // A repeat checks: what the refused requests counted goes, and then there is nothing.
  await admin.run(...erase(own, word));
  const repeat = JSON.parse((await admin.run(...erase(own, word))).stdout);
  expect(repeat).toMatchObject({ deleted_items: 0, kept_ledger: true, units: { written: 0 } });
});

test('requests that end at any moment while it is erased leave nothing, once it is repeated', async () => {
  const word = words();
  const own = await provision({ name: name(word), wallet: { pack_stars: 100 } });
  const next = random(seed);
  // A small organization takes about as many requests.
  const moments = (await lateRequests(own, word)).map((late) => ({
    at: 2 + Math.floor(next() * 150),
    late,
  }));
  let left = moments;
  const done: string[] = [];
  let asked = 0;
  const finish = async (due: typeof moments) => {
    left = left.filter((one) => !due.includes(one));
    for (const { at, late } of due) if (await late.finish()) done.push(`${late.name} at ${at}`);
  };
  const landing: Step = async (_request, pass) => {
    asked++;
    await finish(left.filter(({ at }) => at <= asked));
    return pass();
  };
  const first = await admin.runBehind(landing, ...erase(own, word));
  expect(first.code, first.stderr).toBe(0);
  await finish(left);
  expect((await admin.run(...erase(own, word))).code).toBe(0);
  console.info(`${asked} requests (SEED=${seed}), done meanwhile: ${done.join(', ')}`);
  expect(done.length).toBeGreaterThan(2);
  expectTombstoneOnly(await scanTable(own.id));
});

test('it takes about as many units for each lead as the docs say', async () => {
  const own = await provision({ name: 'Cedro' });
  const leads = Array.from({ length: 100 }, (_, i) => ({
    contact_name: `Maria da Silva ${i}`,
    company_name: 'Padaria',
    email: `maria-${i}@example.com`,
    phone: `+55119876${String(10_000 + i)}`,
    pipeline_id: own.pipelineId,
    owner_id: own.users.agent,
    value_cents: 100,
  }));
  const headers = { 'idempotency-key': randomUUID() };
  const made = await own.post('/leads/batch', { leads }, { headers });
  expect([made.status, made.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  await feedUntil(own, ({ sequence }) => sequence > 100);
  const { stdout } = await admin.run(...erase(own, 'x').with(4, 'Cedro'));
  const { units } = JSON.parse(stdout);
  const each = { read: units.read / 100, written: units.written / 100 };
  console.info(`units for each lead: ${JSON.stringify(each)}`);
  expect(each.written).toBeLessThan(60);
  expect(each.read).toBeLessThan(8);
});

test('an entry of the ledger takes about as many units as the docs say', async () => {
  const own = await provision({ name: 'Cedro', wallet: { pack_stars: 100 } });
  for (let i = 0; i < 50; i++) expect((await spend(own, 1)).status).toBe(201);
  await feedUntil(own, ({ sequence }) => sequence > 50);
  const { stdout } = await admin.run(...erase(own, 'x').with(4, 'Cedro'));
  const { units } = JSON.parse(stdout);
  const each = { read: units.read / 50, written: units.written / 50 };
  console.info(`units for each entry: ${JSON.stringify(each)}`);
  expect(each.written).toBeLessThan(8);
  expect(each.read).toBeLessThan(4);
});

test('it asks for the name, and for a day of suspension', async () => {
  const own = await provision({ name: 'Cedro' });
  const args = ['organization', 'erase', own.id, '--name'];
  expectFailure(await admin.run(...args, 'Cedrus'), /is called "Cedro"/);
  expectFailure(await admin.run(...args, 'Cedro'), /It is not suspended/);
  await admin.json('organization', 'suspend', own.id);
  expectFailure(await admin.run(...args, 'Cedro'), /erase it from \d{4}-.* on, or give --now/);
  expectFailure(
    await admin.run('organization', 'erase', randomUUID(), '--name', 'x'),
    /is no org/,
    2,
  );
  const key = places.organization.key({ organizationId: own.id });
  const TableName = inject('service').tableName;
  expect((await table.send(new GetCommand({ TableName, Key: key }))).Item).toBeDefined();
  // As if that were a day ago.
  await table.send(
    new UpdateCommand({
      TableName,
      Key: key,
      UpdateExpression: 'SET suspended_at = :then',
      ExpressionAttributeValues: { ':then': new Date(Date.now() - 86_400_000).toISOString() },
    }),
  );
  expect((await admin.run(...args, 'Cedro', '--no-wait')).code).toBe(0);
  expect((await table.send(new GetCommand({ TableName, Key: key }))).Item).toBeUndefined();
});

test('every kind of item that an organization has is found by its id, or by what is written here', () => {
  expect(foundElsewhere.filter((one) => !(one in erasedWith))).toEqual([]);
  expect(Object.keys(erasedWith).filter((one) => !foundElsewhere.includes(one as never))).toEqual(
    [],
  );
});
