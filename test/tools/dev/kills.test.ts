import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { adminClient, credentials, region } from '@leads-and-stars/runner';
import { afterAll, expect, inject, test } from 'vitest';
import type { Change } from '../../../lib/changes/change.ts';
import { findUnnumbered } from '../../../tools/admin/unnumbered.ts';
import { eventually } from '../../support/eventually.ts';
import { readFeed } from '../../support/feed.ts';
import { chance, pick, type Random, random, seed } from '../../support/random.ts';
import { some, times } from '../../support/some.ts';
import { Command, useCommands } from './commands.ts';
import type { Ready, ToKill } from './service-to-kill.ts';
import { ownDirectory } from './support.ts';

// The service is ended again and again while it is written to, in each way that there is, and started on the same data.

useCommands();
console.info(`SEED=${seed}`);

const directory = ownDirectory();
const { issuerIdentity, directory: app, codeDirectory, tableName } = inject('service');
const databaseFile = join(directory, 'data.db');
const logFile = join(directory, 'functions.log');
const settings: ToKill = { databaseFile, logFile, issuerIdentity, directory: app, codeDirectory };
const settingsFile = join(directory, 'settings.json');
writeFileSync(settingsFile, JSON.stringify(settings));

const start = (): Command =>
  new Command((ready) => {
    const program = join(import.meta.dirname, 'service-to-kill.ts');
    return [process.execPath, program, settingsFile, ready];
  });

/** Whose spends tell what usage has to be. */
const spender = 'kills';

/** Writes without a pause to what runs now, and notes what was acknowledged. */
class Writers {
  /** The last version of each lead. */
  readonly leads = new Map<string, number>();
  readonly events = new Set<string>();
  /** Acknowledged writes of leads. */
  written = 0;
  #ready: Ready | undefined;
  #isOver = false;
  readonly #next = random(seed);
  readonly #all: Promise<unknown>;

  constructor() {
    const each = (write: (ready: Ready) => Promise<void>) => this.#writeOn(write);
    this.#all = Promise.all([
      ...Array.from({ length: 4 }, () => each((ready) => this.#writeLead(ready))),
      each((ready) => this.#putEvents(ready)),
      each((ready) => this.#spend(ready)),
    ]);
  }

  /** Has them write to a service, or wait for the next one. */
  goOn(ready: Ready | undefined): void {
    this.#ready = ready;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#all;
  }

  async #writeOn(write: (ready: Ready) => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      try {
        if (this.#ready) await write(this.#ready);
        else await wait(5);
      } catch {
        // Nobody promised anything. The next one may be refused at once.
        await wait(5);
      }
    }
  }

  async #writeLead(ready: Ready): Promise<void> {
    const { pipeline_id } = ready.organizations[0]!;
    const known = [...this.leads.keys()];
    const id = chance(this.#next, 0.6) ? pick(this.#next, known) : undefined;
    const [method, path, body] = id
      ? ['PATCH', `/leads/${id}`, { value_cents: this.written }]
      : ['POST', '/leads', { contact_name: 'Rui', pipeline_id }];
    const { status, body: lead, version } = await call(ready, method!, path as string, body);
    if (status >= 300) return;
    this.leads.set(lead.id, Math.max(version, this.leads.get(lead.id) ?? 0));
    this.written++;
  }

  async #spend(ready: Ready) {
    const id = randomUUID();
    const { status } = await call(ready, 'PUT', `/billing/spends/${id}`, { stars: 1, spender });
    if (status < 300) this.events.add(id);
  }

  async #putEvents({ events_endpoint: endpoint, event_bus_name, organizations }: Ready) {
    const client = new EventBridgeClient({ endpoint, region, credentials, maxAttempts: 1 });
    const { organization_id } = organizations[0]!;
    const ids = [randomUUID(), randomUUID()];
    const Entries = ids.map((event_id) => ({
      EventBusName: event_bus_name,
      Source: 'billing',
      DetailType: 'pack.purchased',
      Detail: JSON.stringify({ event_id, organization_id, stars: 1 }),
    }));
    const { FailedEntryCount } = await client.send(new PutEventsCommand({ Entries }));
    expect(FailedEntryCount).toBe(0);
    for (const id of ids) this.events.add(id);
  }
}

const call = async (
  { base_url, organizations: [organization] }: Ready,
  method: string,
  path: string,
  body?: unknown,
) => {
  const response = await fetch(`${base_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${organization!.tokens.owner}`,
      'x-organization-id': organization!.organization_id,
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const version = Number(response.headers.get('etag')?.replaceAll('"', ''));
  return { status: response.status, text, body: JSON.parse(text), version };
};

const ways = [
  ['SIGKILL', 'process'],
  ['SIGTERM', 'process'],
  ['SIGINT', 'group'],
] as const;
type Kill = (typeof ways)[number];

/** The run that goes on; undefined where there is none. */
let run: Command | undefined;

/** Ends a run at some moment: of its start, or while it is written to. Says how. */
const endOne = async (next: Random, [signal, to]: Kill, isEarly: boolean) => {
  const struck = run ?? start();
  run = undefined;
  if (!isEarly) {
    writers.goOn((await struck.ready()) as never);
    const enough = writers.written + 1 + Math.floor(next() * 40);
    await eventually(
      () => writers.written,
      (count) => count >= enough,
    );
  }
  await wait(next() * (isEarly ? 1500 : 60));
  struck.kill(signal, to);
  const code = await struck.ended;
  writers.goOn(undefined);
  // It may not listen to signals yet.
  const asAsked = isEarly ? [0, null] : [0];
  if (signal !== 'SIGKILL') expect(asAsked, struck.stderr).toContain(code);
  return `${signal}${isEarly ? ' early' : ''}`;
};

/** The feed, once it has all that was acknowledged: each change once, in order. */
const expectWhole = async (ready: Ready, { leads, events }: Writers) => {
  const reader = { get: (path: string) => call(ready, 'GET', path) };
  const versions = (feed: readonly Change[]) => {
    const last = new Map<string, number>();
    for (const change of feed) if ('lead_id' in change) last.set(change.lead_id, change.version);
    return last;
  };
  const applied = (feed: readonly Change[]) =>
    feed.flatMap((change) => ('entry' in change ? [change.entry.event_id] : []));
  const missingIn = (feed: readonly Change[]) => {
    const [found, ids] = [versions(feed), new Set(applied(feed))];
    return [
      ...[...leads].filter(([id, version]) => (found.get(id) ?? 0) < version),
      ...[...events].filter((id) => !ids.has(id)),
    ];
  };
  const missing = await eventually(
    async () => missingIn(await readFeed(reader)),
    ({ length }) => length === 0,
  );
  expect(missing).toEqual([]);
  const table = { client: adminClient(ready.dynamodb_endpoint), name: tableName };
  await eventually(
    async () => {
      const found: unknown[] = [];
      for await (const some of findUnnumbered({ isOriginal: true, table })) found.push(...some);
      return found;
    },
    ({ length }) => length === 0,
  );
  const feed = await readFeed(reader);
  expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, i) => i + 1));
  expect(new Set(feed.map(({ event_id }) => event_id)).size).toBe(feed.length);
  const ids = applied(feed);
  expect(new Set(ids).size).toBe(ids.length);
  await expectUsage(reader, feed);
  const ofLeads = feed.filter((change) => 'lead_id' in change);
  for (const changes of Map.groupBy(ofLeads, ({ lead_id }) => lead_id).values()) {
    expect(changes.map(({ version }) => version)).toEqual(changes.map((_, i) => i + 1));
  }
  return feed.length;
};

/** Usage, once it has each spend of the feed: no spend is in it twice. */
const expectUsage = async (
  reader: { get(path: string): ReturnType<typeof call> },
  feed: readonly Change[],
) => {
  const spends = feed.filter((one) => 'entry' in one && one.entry.spender === spender);
  const days = [-1, 1].map((ahead) => new Date(Date.now() + ahead * 86_400_000).toISOString());
  const [from, to] = days.map((day) => day.slice(0, 10));
  const read = async () => {
    const { body } = await reader.get(`/billing/usage?from=${from}&to=${to}&group_by=spender`);
    return (
      body.items.find((one: { name: string | null }) => one.name === spender)?.spent_stars ?? 0
    );
  };
  await eventually(read, (stars) => stars >= spends.length);
  expect([await read(), spends.length > 0]).toEqual([spends.length, true]);
};

const writers = new Writers();
afterAll(() => writers.end());

/** Ends a run so many times: first in each of these ways, and then in any. Says how. */
const killed = async (count: number, first: readonly Kill[] = ways): Promise<string> => {
  const next = random(seed);
  const done: string[] = [];
  for (let i = 0; i < count; i++) {
    const way = first[i] ?? pick(next, ways);
    done.push(await endOne(next, way, i > 0 && chance(next, 0.25)));
  }
  return done.join(', ');
};

/** Starts it once more, and leaves it running. */
const expectAllThere = async () => {
  run = start();
  const count = await expectWhole((await run.ready()) as unknown as Ready, writers);
  console.info(
    `${writers.leads.size} leads, ${writers.events.size} events, ${count} changes in the feed`,
  );
  expect(Math.min(writers.leads.size, writers.events.size)).toBeGreaterThan(0);
};

test('killed, stopped, and ended by Ctrl-C at any moment, it has each acknowledged change once in the feed, and all accepted events', async () => {
  console.info(await killed(times(2, 20), some(ways, 2, 'kills')));
  await expectAllThere();
});

test('killed and off for two days, in which the engine forgot the stream, likewise', async () => {
  await killed(1);
  const off = 2 * 24 * 60 * 60;
  const database = new DatabaseSync(databaseFile, { timeout: 5000 });
  database.exec('DELETE FROM _stream_records');
  database.close();
  const [stateFile] = readdirSync(directory).filter((name) => /\.state-[0-9a-f]{8}$/.test(name));
  const state = new DatabaseSync(join(directory, stateFile!), { timeout: 5000 });
  state.exec(`UPDATE messages SET sent_at = sent_at - ${off}000, visible_at = visible_at - ${off}000;
    UPDATE sent SET until = until - ${off}000;
    UPDATE places SET place = place - ${off}000 WHERE name LIKE 'schedule %'`);
  state.close();
  await expectAllThere();
});
