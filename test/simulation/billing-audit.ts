import assert from 'node:assert/strict';
import { assertSum } from '../../lib/billing/rules/invariants.ts';
import { type EventRecord, eventRecordKind } from '../../lib/billing/stored/event-record.ts';
import type { LedgerEntry } from '../../lib/billing/stored/ledger-entry.ts';
import { type Compartment, sum } from '../../lib/billing/stored/lots.ts';
import { type OpenHold, openHoldKind, toOpenHold } from '../../lib/billing/stored/open-hold.ts';
import { ledgerEntryKind, toLedgerEntry } from '../../lib/billing/stored/stored-entry.ts';
import { toWallet, type Wallet, walletKind } from '../../lib/billing/stored/wallet.ts';
import { outbox } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { reversalOf } from '../support/billing.ts';
import { countedStars } from '../support/counted-stars.ts';
import { walletKey } from '../support/keys.ts';
import type { Answer } from './organization.ts';

/** What was asked of an event or a hold, and answered at last. */
export interface Told {
  name: string;
  id: string;
  answers: Answer[];
}

type EntriesById = ReadonlyMap<string | null, readonly LedgerEntry[]>;

/** Throws unless wallet, ledger, holds and records of events fit together, and nothing waits. Answers the entries by their events. */
export const auditBilling = (id: string, items: readonly Item[]): EntriesById => {
  const startingWith = (prefix: string) => items.filter(({ pk }) => String(pk).startsWith(prefix));
  const wallet = toWallet(walletKind.parse(items.find(({ sk }) => sk === walletKey(id).sk)!));
  const stored = startingWith(outbox.wallets).sort((a, b) => Number(b.version) - Number(a.version));
  const entries = stored.map((one) => toLedgerEntry(ledgerEntryKind.parse(one)));
  assertSum(wallet, entries);
  const times = entries.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted().reverse(), 'entries do not go back');

  const open = startingWith('HOLDS#').map((one) => toOpenHold(openHoldKind.parse(one)));
  auditHolds(wallet, open);
  const notices = startingWith(outbox.notices).length;
  const expected = stored.reduce((all, entry) => all + Number(entry.notices ?? 0), 0);
  assert.equal(notices, expected, 'each notice that an entry tells of is there');

  assert.deepEqual(startingWith('WAITING#'), [], 'nothing waits');

  const events = startingWith('EVENT#');
  const records = new Map(
    events.map((item) => [String(item.pk).split('#')[2]!, eventRecordKind.parse(item)]),
  );
  const caused = entries.filter(({ event_id }) => event_id !== null);
  const byId = Map.groupBy(caused, ({ event_id }) => String(event_id));
  for (const [eventId, own] of byId) {
    const isOpen = open.some(({ hold_id }) => hold_id === eventId);
    auditEvent(own, isOpen, records.get(eventId));
  }
  auditRefunds(entries, records);
  auditCounters(open, records, {
    counters: startingWith('SPENT#'),
    limits: startingWith('LIMITS#'),
  });
  auditReversals(entries, records);
  return byId;
};

const auditHolds = (wallet: Wallet, open: readonly OpenHold[]): void => {
  const lots = open.flatMap((hold) => hold.lots);
  const heldIn = (compartment: Compartment) =>
    sum(lots.filter((lot) => lot.compartment === compartment));
  assert.equal(open.length, wallet.open_holds, 'open holds are counted');
  const held = { monthly: heldIn('monthly'), pack: heldIn('pack') };
  assert.deepEqual(held, wallet.held, 'what holds have is held');
  for (const { expires_at } of open) {
    assert(expires_at > wallet.at, 'no open hold had expired at the last entry');
    assert((wallet.next_hold_expiry ?? 0) <= expires_at, 'the wallet knows what expires next');
  }
  for (const pack of wallet.packs) {
    const ofPack = lots.filter(({ expires_at }) => expires_at === pack.expires_at);
    assert.equal(sum(ofPack.filter((lot) => lot.compartment === 'pack')), pack.held);
  }
};

/** An event has one entry. A hold has one, one for each extension, and one when it ends, in one of three ways and in time. */
const auditEvent = (
  entries: readonly LedgerEntry[],
  isOpen: boolean,
  record?: EventRecord,
): void => {
  const types = entries.map(({ type }) => type);
  if (!types.includes('stars.held')) {
    assert.equal(types.length, 1, `once: ${types}`);
    return;
  }
  const ends = entries.filter(({ type }) => type.startsWith('hold.') && type !== 'hold.extended');
  const extensions = entries.filter(({ type }) => type === 'hold.extended');
  assert.equal(types.length, 1 + extensions.length + ends.length, `held once: ${types}`);
  assert.equal(ends.length, isOpen ? 0 : 1, `ended once, or open: ${types}`);
  const expiry = new Date(record?.extended_to ?? record?.hold?.expires_at ?? 0).toISOString();
  for (const { type, at } of ends) {
    if (type === 'hold.expired') assert.equal(at, expiry);
    else assert(at < expiry, 'a hold that has expired can be neither captured nor released');
  }
};

/** Each counter has what limits counted of spends and open holds, less what came back. */
const auditCounters = (
  open: readonly OpenHold[],
  records: ReadonlyMap<string, EventRecord>,
  { counters, limits }: { counters: readonly Item[]; limits: readonly Item[] },
): void => {
  const spends = [...records.values()].flatMap(({ spend }) => spend ?? []);
  const totals = countedStars(open, spends);
  for (const { sk, total } of counters) {
    assert.equal(total, totals.get(String(sk)) ?? 0, `what counted of ${sk}`);
    totals.delete(String(sk));
  }
  assert.deepEqual(
    [...totals].filter(([, stars]) => stars > 0),
    [],
    'whatever counted has a counter',
  );
  // This limit is never changed.
  const ofCalls = limits.find(({ sk }) => sk === 'feature#call');
  const used = counters.find(({ sk }) => sk === 'feature#call')?.total ?? 0;
  if (ofCalls) assert(Number(used) <= Number(ofCalls.stars), 'no limit is exceeded');
};

const auditRefunds = (
  entries: readonly LedgerEntry[],
  records: ReadonlyMap<string, EventRecord>,
): void => {
  for (const [eventId, { spend }] of records) {
    if (!spend) continue;
    const { lots, refunded } = spend;
    const refunds = entries.filter((entry) => entry.refunds === eventId);
    const back = refunds.reduce((all, { stars, lost }) => all + stars + sum(lost), 0);
    assert.equal(back, refunded, 'what came back is counted');
    assert(refunded <= sum(lots), 'no more came back than was spent');
  }
};

/** What was taken or owed for a purchase, and what was forgiven, is what its refunds and disputes reverse. */
const auditReversals = (
  entries: readonly LedgerEntry[],
  records: ReadonlyMap<string, EventRecord>,
): void => {
  for (const [eventId, { purchase }] of records) {
    if (!purchase) continue;
    const reversals = entries.filter((entry) => entry.reverses === eventId);
    const taken = reversals.reduce((all, { stars }) => all - stars, 0);
    const { reversed, forgiven } = reversalOf(purchase);
    assert.equal(taken + forgiven, reversed, 'what was reversed is taken or forgiven');
    assert(forgiven >= 0, 'no more is taken than is reversed');
  }
};

/** What a caller was told was done has its entry, and was told the same each time. */
export const auditTold = (told: ReadonlyMap<string, Told>, byId: EntriesById): void => {
  const typeOf: Record<string, string> = {
    putSpend: 'stars.spent',
    putHold: 'stars.held',
    captureHold: 'hold.captured',
    releaseHold: 'hold.released',
  };
  for (const [what, { name, id, answers }] of told) {
    const done = answers.flatMap(({ status, body }) => (status ? [body] : []));
    if (done.length === 0) continue;
    const types = byId.get(id)?.map(({ type }) => type as string) ?? [];
    assert(types.includes(typeOf[name] ?? name), `${what} was done: ${types}`);
    assert.equal(new Set(done.map((body) => JSON.stringify(body))).size, 1, what);
  }
};
