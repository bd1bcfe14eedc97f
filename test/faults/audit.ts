import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import { Webhook } from 'standardwebhooks';
import type { LedgerEntry } from '../../lib/billing/ledger.ts';
import type { Change } from '../../lib/changes/change.ts';
import type { HistoryEntry } from '../../lib/leads/history.ts';
import type { Lead } from '../../lib/leads/lead.ts';
import type { Item } from '../../lib/table/table.ts';
import { auditBilling } from '../simulation/billing-audit.ts';
import { auditSales } from '../simulation/sales-audit.ts';
import { eventually } from '../support/eventually.ts';
import type { FaultyService } from '../support/faults/faulty-service.ts';
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
  faulty: FaultyService,
  setting: Setting,
  clients: readonly ChaosClient[],
  hook: Hook,
): Promise<void> => {
  const items = await storedItems(faulty, setting);
  auditSales(setting.id, items);
  auditBilling(setting.id, items);
  const leads: Lead[] = await readAll(setting, 'listLeads', '/leads');
  // The setting's own lead was made before.
  const own = leads.filter(({ id }) => id !== setting.leadId);
  const told = clients.flatMap((client) => [...client.leads.values()]);
  assert.deepEqual(byId(own), byId(told), 'the leads are those that were acknowledged');
  for (const client of clients) {
    for (const [id, changes] of client.changes) {
      await auditHistory(setting, id, changes, client.deleted.has(id));
    }
  }
  await auditWallet(setting, clients);
  await auditWebhook(setting, hook, await auditFeed(setting, leads));
};

/** All that is stored of it, read from the engine itself. */
const storedItems = async ({ engine, service }: FaultyService, { id }: Setting) => {
  const scan = {
    TableName: service.assembly.table.TableName,
    FilterExpression: 'contains(pk, :id)',
    ExpressionAttributeValues: { ':id': id },
  };
  const client = DynamoDBDocumentClient.from(adminClient(engine));
  const items: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client }, scan)) items.push(...Items);
  return items;
};

const byId = (leads: readonly Lead[]) => [...leads].sort((a, b) => (a.id < b.id ? -1 : 1));

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
  ).catch(() => readFeed({ get }));
  assert.deepEqual(leadsIn(feed), listed, 'the feed makes the leads');
  const entries = feed.flatMap((one) =>
    'entry' in one ? [{ version: one.version, at: one.at, ...one.entry }] : [],
  );
  assert.deepEqual(entries, ledger, 'the feed has the ledger');
  for (const [i, { sequence }] of feed.entries()) assert.equal(sequence, i + 1, 'no gap');
  return feed;
};

/** The endpoint was well: each change came, signed, the first time after those before it of its lead or wallet. */
const auditWebhook = async (
  { client }: Setting,
  { id, secret, receiver }: Hook,
  feed: readonly Change[],
): Promise<void> => {
  const { given_up, waiting, failures } = await eventually(
    async () => (await client.insist({ id: 'getWebhook', path: `/webhooks/${id}` })).at(-1)!.body,
    ({ checkpoint }) => checkpoint === feed.length,
  );
  assert.deepEqual([given_up, waiting, failures], [0, 0, 0], 'no post failed');
  for (const { body, headers } of receiver.received) new Webhook(secret).verify(body, headers);
  const first = new Map<number, Change>();
  for (const change of receiver.bodies) {
    if (!first.has(change.sequence)) first.set(change.sequence, change);
  }
  const bySequence = (all: readonly Change[]) => all.toSorted((a, b) => a.sequence - b.sequence);
  const came = [...first.values()];
  assert.deepEqual(bySequence(came), feed, 'what is posted is the feed');
  const laneOf = (change: Change) => ('lead_id' in change ? change.lead_id : 'wallet');
  for (const [lane, changes] of Map.groupBy(came, laneOf)) {
    assert.deepEqual(changes, bySequence(changes), `${lane} is told in order`);
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
  const ids = (events: readonly { event_id: string | null }[]) =>
    events.map((e) => e.event_id).sort();
  assert.deepEqual(ids(entries), ids(spent), 'what was spent is entered once');
  const { body } = await setting.client.send({ id: 'getBalance', path: '/billing/balance' });
  const stars = spent.reduce((sum, event) => sum + event.stars, 0);
  const total = opening!.monthly_after + opening!.pack_after;
  assert.equal(body.total_stars, total - stars, 'the balance is short of what was spent');
};

const readAll = async (setting: Setting, id: string, path: string) => {
  const items = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const separator = path.includes('?') ? '&' : '?';
    const query: string = `${separator}limit=200${cursor && `&cursor=${cursor}`}`;
    const { body } = (await setting.client.insist({ id, path: `${path}${query}` })).at(-1)!;
    assert(body.items, `${path}: ${JSON.stringify(body)}`);
    items.push(...body.items);
    cursor = body.next_cursor;
  }
  return items;
};
