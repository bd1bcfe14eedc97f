import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  adminClient,
  type BusEvent,
  ensureTable,
  Processes,
  startEngine,
} from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Change } from '../../lib/changes/change.ts';
import { given } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { FaultProxy } from '../support/faults/fault-proxy.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import type { Step } from '../support/faults/step.ts';
import type { Fault } from '../support/faults/watched-requests.ts';
import { asSent, readFeed } from '../support/feed.ts';
import { historyKey } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { chance, pick, random, seed } from '../support/random.ts';
import { Receiver } from '../support/receiver.ts';
import { Client } from './client.ts';
import { ownerId, provisioning, type Setting, Settings } from './setting.ts';

// The feed, also of a restored table, through faults of whatever numbers and reads it.
// @module-tag long

const next = random(seed);
console.info(`SEED=${seed}`);

const faults: Fault[] = ['request lost', 'reply lost', 'conflict', 'throttled', 'server error'];

const processes = new Processes();
const events: BusEvent[] = [];
let engine: string;
let faulty: FaultyService;
let settings: Settings;

/** An organization that has a past when the service starts, before which nothing is in the stream. */
const organizationOfBefore = randomUUID();
const leadsOfBefore = Array.from({ length: 12 }, () => randomUUID() as string);

const makePast = async () => {
  const { table, tableName } = inject('service');
  await ensureTable(engine, table);
  const client = DynamoDBDocumentClient.from(adminClient(engine));
  const fiveHoursAgo = Date.now() - 5 * 60 * 60 * 1000;
  for (let version = 1; version <= 25; version++) {
    const items = leadsOfBefore.map((lead, i) => ({
      ...historyKey(organizationOfBefore, lead, version),
      version,
      type: version === 1 ? 'lead.created' : 'lead.updated',
      at: new Date(fiveHoursAgo + version * 1000 + i).toISOString(),
      user_id: organizationOfBefore,
      changes: [{ field: 'value_cents', from: version - 1, to: version }],
    }));
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
  }
};

beforeAll(async () => {
  engine = await startEngine(processes, 'memory');
  await makePast();
  faulty = await startFaultyService(await prepared(), {
    makeEngine: async () => engine,
    onEvent: (event) => events.push(event),
  });
  settings = new Settings(faulty);
});

afterAll(async () => {
  await faulty?.close();
  await processes.close();
});

/** A client of the feed. A page that is refused for a moment is asked for again. */
const readerOf = ({ client }: { client: Client }) => ({
  get: async (path: string) => {
    const answer = (await client.insist({ id: 'listChanges', path })).at(-1)!;
    return { ...answer, text: JSON.stringify(answer.body) };
  },
});

/** Each number once and in order, each lead's versions as well, and no `event_id` twice. */
const expectWhole = (feed: readonly Change[]) => {
  expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, i) => i + 1));
  expect(new Set(feed.map(({ event_id }) => event_id)).size).toBe(feed.length);
  const ofLeads = feed.filter((change) => 'lead_id' in change);
  for (const changes of Map.groupBy(ofLeads, ({ lead_id }) => lead_id).values()) {
    expect(changes.map(({ version }) => version)).toEqual(changes.map((_, i) => i + 1));
  }
};

/** What `provisioning` tells of settings: an organization, two members and a pipeline. */
const settingFacts = 4;

const update = ({ client }: Setting, lead: string, value_cents: number) =>
  client.insist({ id: 'updateLead', path: `/leads/${lead}`, body: { value_cents } });

test('each change gets one number, though who numbers is struck and killed at random', async () => {
  const setting = await settings.make();
  // What reads or moves the head of the feed is the numbering's; all else goes well.
  settings.end(setting);
  const watched = faulty.proxy.watch([`FEED#${setting.id}`], faulty.killSender);
  const struck: string[] = [];
  watched.plan({
    name: 'at random',
    strike: () => {
      // The first one is always struck: a busy machine numbers all changes in a few requests, and chance may strike none.
      if (struck.length > 0 && !chance(next, 0.4)) return undefined;
      const fault = pick<Fault>(next, [...faults, 'killed before', 'killed after']);
      struck.push(fault);
      return fault;
    },
  });
  const body = { contact_name: 'Rui', pipeline_id: setting.pipelineId };
  const made = await Promise.all(
    Array.from({ length: 5 }, async (_, i) => {
      const answers = await setting.client.insist({ id: 'createLead', path: '/leads', body });
      const { id } = answers.at(-1)!.body;
      for (let value = 1; value <= 3 + i; value++) await update(setting, id, value);
      return id as string;
    }),
  );
  const count = settingFacts + 2 + 5 + 3 + 4 + 5 + 6 + 7;
  const reader = readerOf(setting);
  const feed = await eventually(
    () => readFeed(reader, 7),
    ({ length }) => length >= count,
  );
  console.info(`${struck.length} faults: ${[...new Set(struck)].join(', ')}`);
  faulty.proxy.unwatch(watched);
  expect(struck.length).toBeGreaterThan(0);
  expect(feed.length).toBe(count);
  expectWhole(feed);
  expect(new Set(feed.flatMap((change) => ('lead_id' in change ? [change.lead_id] : [])))).toEqual(
    new Set([setting.leadId, ...made]),
  );
  const sent = await eventually(
    () => events.filter(({ detail }) => detail.organization_id === setting.id),
    (all) => new Set(all.map(({ detail }) => detail.sequence)).size === count,
  );
  const told = asSent(feed);
  for (const { detail } of sent) expect(detail).toEqual(told[Number(detail.sequence) - 1]);
});

/** Runs the admin command that numbers; it dies at its transaction `killAt`, which is carried out or not. */
const numberByAdmin = async (killAt = Number.POSITIVE_INFINITY, carriedOut = false) => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-feed-'));
  const readyFile = join(directory, 'service.json');
  let transactions = 0;
  const dying: Step = async ({ operation }, pass) => {
    const dies = operation === 'TransactWriteItems' && ++transactions === killAt;
    const reply = dies && !carriedOut ? undefined : await pass();
    if (dies) command.kill('SIGKILL');
    return dies ? undefined : reply;
  };
  const proxy = await FaultProxy.start(engine, [dying]);
  const ready = { dynamodb_endpoint: proxy.endpoint, table_name: inject('service').tableName };
  await writeFile(readyFile, JSON.stringify(ready));
  const args = ['changes', 'number', organizationOfBefore, '--lost', '--ready-file', readyFile];
  const main = join(import.meta.dirname, '../../tools/admin/main.ts');
  const command = spawn(process.execPath, [main, ...args], {
    env: { ...given, HOME: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told = text(command.stdout);
  const [code] = await once(command, 'exit');
  await proxy.close();
  await rm(directory, { recursive: true });
  return { killed: code === null, numbered: code === 0 ? JSON.parse(await told) : undefined };
};

test('what was before gets its numbers by the admin command, killed and repeated; the bus hears only news', async () => {
  const { service } = faulty;
  const client = new Client(service, organizationOfBefore, await service.issuer.idToken(ownerId));
  const [made] = await client.insist(provisioning(organizationOfBefore));
  const reader = readerOf({ client });
  const feedOf = () => readFeed(reader);
  // What made the organization: its settings and its first stars.
  const first = settingFacts + 1;
  await eventually(feedOf, ({ length }) => length === first);

  expect((await numberByAdmin(2, true)).killed).toBe(true);
  expect((await feedOf()).length).toBe(first + 2 * 99);
  expect((await numberByAdmin(1, false)).killed).toBe(true);
  expect((await feedOf()).length).toBe(first + 2 * 99);
  const left = leadsOfBefore.length * 25 - 2 * 99;
  const organization_id = organizationOfBefore;
  const all = await numberByAdmin();
  expect(all.numbered).toEqual([{ organization_id, numbered: left }]);
  expect((await numberByAdmin()).numbered).toEqual([]);
  const feed = await feedOf();
  expect(feed.length).toBe(first + leadsOfBefore.length * 25);
  expectWhole(feed);
  // In the order in which they were made.
  const times = feed.slice(first).map(({ at }) => at);
  expect(times).toEqual(times.toSorted());

  // A change that comes after all of it is the control.
  const body = { contact_name: 'Rui', pipeline_id: made!.body.pipelines[0].id };
  await client.insist({ id: 'createLead', path: '/leads', body });
  const sent = await eventually(
    () => events.filter(({ detail }) => detail.organization_id === organizationOfBefore),
    (some) => some.some(({ detail }) => detail.sequence === feed.length + 1),
  );
  expect(sent.map(({ detail }) => detail.sequence)).toEqual([
    ...feed.slice(0, first).map(({ sequence }) => sequence),
    feed.length + 1,
  ]);
});

test('a webhook gets every change, though its worker is struck and killed at random', async () => {
  const [setting, receiver] = await Promise.all([settings.make(), Receiver.start()]);
  settings.end(setting);
  await receiver.answers('slow');
  const request = { id: 'createWebhook', path: '/webhooks', body: { url: receiver.url, after: 0 } };
  await setting.client.insist(request);
  // The worker alone writes attempts; two deaths are enough, as the lease has to end after each.
  const watched = faulty.proxy.watch([`DELIVERIES#${setting.id}`], faulty.killSender);
  const struck: string[] = [];
  watched.plan({
    name: 'at random',
    strike: () => {
      const deaths = struck.filter((one) => one.startsWith('killed')).length;
      const fault = deaths < 2 && struck.length % 2 === 0 ? 'killed before' : pick(next, faults);
      if (struck.length >= 6) return undefined;
      struck.push(fault);
      return fault;
    },
  });
  for (let value = 1; value <= 20; value++) await update(setting, setting.leadId, value);
  const sequences = () => new Set(receiver.bodies.map(({ sequence }) => sequence));
  await eventually(sequences, ({ size }) => size === 22);
  await eventually(
    async () => (await setting.client.insist({ id: 'listWebhooks', path: '/webhooks' })).at(-1)!,
    ({ body }) => body.items[0].checkpoint === 22 + settingFacts + 1,
  );
  console.info(`${struck.length} faults: ${[...new Set(struck)].join(', ')}`);
  expect(struck.some((one) => one.startsWith('killed'))).toBe(true);
  // The first time that each came is in order: all are of one lead, but for the wallet's.
  const first = [...sequences()];
  const ofWallet = receiver.bodies.find(({ lead_id }) => !lead_id).sequence;
  const ofLead = first.filter((one) => one !== ofWallet);
  expect(ofLead).toEqual(ofLead.toSorted((a, b) => a - b));
  faulty.proxy.unwatch(watched);
});
