import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { LedgerEntry } from '../../lib/billing/ledger.ts';
import type { Change } from '../../lib/changes/change.ts';
import type { HistoryEntry } from '../../lib/leads/history.ts';
import type { Lead } from '../../lib/leads/lead.ts';
import { eventually } from '../support/eventually.ts';
import { applied, contentOf, readFeed } from '../support/feed.ts';
import type { Receiver } from '../support/receiver.ts';
import type { ChaosClient } from './chaos-client.ts';
import type { Setting } from './setting.ts';

/** A webhook of every change, and who received them. */
export interface Hook {
  id: string;
  secret: string;
  receiver: Receiver;
}

/** Holds what is there, and what was posted, against what the clients were told. */
export const audit = async (
  setting: Setting,
  clients: readonly ChaosClient[],
  hook: Hook,
): Promise<void> => {
  const leads: Lead[] = await readAll(setting, 'listLeads', '/leads');
  // The setting's own lead was made before.
  const own = leads.filter(({ id }) => id !== setting.leadId);
  const told = clients.flatMap((client) => [...client.leads.values()]);
  assert.deepEqual(byId(own), byId(told), 'the leads are those that were acknowledged');
  await auditSummary(setting, leads);
  for (const tag of ['a', 'b', 'c']) {
    const tagged = leads.filter(({ tags }) => tags.includes(tag));
    assert.deepEqual(await readAll(setting, 'listLeads', `/leads?tag=${tag}`), tagged);
  }
  for (const client of clients) {
    for (const [id, changes] of client.changes) {
      await auditHistory(setting, id, changes, client.deleted.has(id));
    }
  }
  await auditWallet(setting, clients);
  await auditWebhook(setting, hook, await auditFeed(setting, leads));
};

const byId = (leads: readonly Lead[]) => [...leads].sort((a, b) => (a.id < b.id ? -1 : 1));

const auditSummary = async (setting: Setting, leads: readonly Lead[]): Promise<void> => {
  const path = `/pipelines/${setting.pipelineId}/summary`;
  const { body } = await setting.client.send({ id: 'getPipelineSummary', path });
  const total = (of: readonly Lead[]) => ({
    leads: of.length,
    value_cents: of.reduce((sum, { value_cents }) => sum + (value_cents ?? 0), 0),
  });
  const stages = ['new', 'contacted', 'won', 'old'].map((name) => ({
    name,
    outcome: 'open',
    ...total(leads.filter(({ stage }) => stage === name)),
  }));
  const expected = { pipeline_id: setting.pipelineId, stages, ...total(leads) };
  assert.deepEqual(body, expected, 'the summary counts what is listed');
};

/** Whoever applies the feed from the beginning has the leads, and the ledger as it is. Answers the feed. */
const auditFeed = async (setting: Setting, leads: readonly Lead[]): Promise<Change[]> => {
  const ledger = (await readAll(setting, 'listBillingHistory', '/billing/history')).reverse();
  const get = async (path: string) => ({
    text: '',
    ...(await setting.client.insist({ id: 'listChanges', path })).at(-1)!,
  });
  const listed = new Map(leads.map((lead) => [lead.id, contentOf(lead)]));
  const leadsIn = (feed: Awaited<ReturnType<typeof readFeed>>) =>
    new Map([...applied(feed)].map(([id, lead]) => [id, contentOf(lead as Lead)]));
  const feed = await eventually(
    () => readFeed({ get }),
    (one) => isDeepStrictEqual(leadsIn(one), listed),
    30_000,
  ).catch(() => readFeed({ get }));
  assert.deepEqual(leadsIn(feed), listed, 'the feed makes the leads');
  const entries = feed.flatMap((one) =>
    'entry' in one ? [{ version: one.version, at: one.at, ...one.entry }] : [],
  );
  assert.deepEqual(entries, ledger, 'the feed has the ledger');
  const numbers = feed.map(({ sequence }) => sequence);
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => i + 1),
    'the feed has no gaps',
  );
  return feed;
};

/** A lease of a worker that was killed has to end first, and whoever waits for it to come back. */
const patienceWithWorkers = 60_000;

/** The endpoint was well: each change came, signed, the first time after those before it of its lead or wallet. */
const auditWebhook = async (
  { client }: Setting,
  { id, secret, receiver }: Hook,
  feed: readonly Change[],
): Promise<void> => {
  const checkpoint = async () =>
    (await client.insist({ id: 'getWebhook', path: `/webhooks/${id}` })).at(-1)!.body;
  const { given_up, waiting, failures } = await eventually(
    checkpoint,
    (one) => one.checkpoint === feed.length,
    patienceWithWorkers,
  );
  assert.deepEqual([given_up, waiting, failures], [0, 0, 0], 'no post failed');
  for (const { body, headers } of receiver.received) new Webhook(secret).verify(body, headers);
  const first = new Map<number, Change>();
  for (const change of receiver.bodies) {
    if (!first.has(change.sequence)) first.set(change.sequence, change);
  }
  const came = [...first.values()];
  assert.deepEqual(
    came.toSorted((a, b) => a.sequence - b.sequence),
    feed,
    'what is posted is the feed',
  );
  const laneOf = (change: Change) => ('lead_id' in change ? change.lead_id : 'wallet');
  for (const [lane, changes] of Map.groupBy(came, laneOf)) {
    const sequences = changes.map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
      `${lane} is told in order`,
    );
  }
};

const auditHistory = async (setting: Setting, id: string, changes: number, deleted: boolean) => {
  const entries: HistoryEntry[] = await readAll(setting, 'listLeadHistory', `/leads/${id}/history`);
  const versions = entries.map(({ version }) => version);
  const expected = Array.from({ length: changes }, (_, i) => changes - i);
  assert.deepEqual(versions, expected, `every change of ${id} has its entry, and none has two`);
  assert.equal(entries[0]?.type === 'lead.deleted', deleted);
};

const auditWallet = async (setting: Setting, clients: readonly ChaosClient[]): Promise<void> => {
  const spent = clients.flatMap((client) => client.spent);
  const history: LedgerEntry[] = await readAll(setting, 'listBillingHistory', '/billing/history');
  const [opening, ...entries] = history.reverse();
  const ids = (events: readonly { event_id: string }[]) => events.map((e) => e.event_id).sort();
  assert.deepEqual(ids(entries), ids(spent), 'what was spent is entered once');
  let [monthly, pack] = [opening!.monthly_after, opening!.pack_after];
  entries.forEach((entry, i) => {
    monthly += entry.monthly_change;
    pack += entry.pack_change;
    assert.equal(entry.version, i + 2);
    assert.deepEqual([entry.monthly_after, entry.pack_after], [monthly, pack], 'the ledger chains');
  });
  const { body } = await setting.client.send({ id: 'getBalance', path: '/billing/balance' });
  const stars = spent.reduce((sum, event) => sum + event.stars, 0);
  assert.deepEqual([body.monthly_stars, body.pack_stars], [monthly, pack]);
  const total = opening!.monthly_after + opening!.pack_after;
  assert.equal(body.total_stars, total - stars, 'the balance is short of what was spent');
  const held = clients.reduce((sum, client) => sum + client.held, 0);
  assert.equal(body.held_stars, held, 'what is held is what was left open');
};

const readAll = async (setting: Setting, id: string, path: string) => {
  const items = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const separator = path.includes('?') ? '&' : '?';
    const query = `${separator}limit=200${cursor && `&cursor=${cursor}`}`;
    const { code, body } = await setting.client.send({ id, path: `${path}${query}` });
    assert.equal(code, undefined, `${path}: ${code}`);
    items.push(...body.items);
    cursor = body.next_cursor;
  }
  return items;
};
