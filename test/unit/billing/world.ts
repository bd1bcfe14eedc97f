import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readBalance } from '../../../lib/billing/read-balance.ts';
import { toBalance } from '../../../lib/billing/rules/balance.ts';
import { type Cause, expiryOf } from '../../../lib/billing/rules/causes.ts';
import { take } from '../../../lib/billing/rules/compartments.ts';
import { addMonths } from '../../../lib/billing/rules/months/calendar.ts';
import { apply, type RuleResult } from '../../../lib/billing/rules/rules.ts';
import { passTime } from '../../../lib/billing/rules/step.ts';
import type { WalletEventType } from '../../../lib/billing/rules/wallet-events.ts';
import type { Balance } from '../../../lib/billing/stored/balance.ts';
import type { LedgerEntry } from '../../../lib/billing/stored/ledger-entry.ts';
import { type Lot, type Spend, sum } from '../../../lib/billing/stored/lots.ts';
import type { OpenHold } from '../../../lib/billing/stored/open-hold.ts';
import type { Purchase, SubscriptionPayment } from '../../../lib/billing/stored/purchase.ts';
import { emptyWallet, heldStars, type Wallet } from '../../../lib/billing/stored/wallet.ts';
import { purposeOf } from '../../../lib/billing/terms/purpose.ts';
import type { Item, Table } from '../../../lib/table/table.ts';
import { reversalOf } from '../../support/billing.ts';
import { ledgerEntryItem, openHoldItem, walletItem } from '../../support/billing-items.ts';
import { fakeQueries, fakeReads } from '../../support/fake-table.ts';
import { walletKey } from '../../support/keys.ts';
import { event, iso, organization_id, plan, now as start } from './rules/wallets.ts';

// A wallet to which anything happens, in any order, repeatedly and at any time.

export const thresholds = [60, 20, 5];

const stars = fc.integer({ min: 1, max: 60 });
const more = fc.integer({ min: 1, max: 300 });
const change = fc.integer({ min: -40, max: 40 });
const tier = fc.constantFrom('pro', 'none');
const moment = (min: number, max: number) => fc.integer({ min, max }).map((t) => iso(start + t));
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const ofSubscription = {
  subscription_id: maybe(fc.constantFrom('a', 'b', 'c')),
  occurred_at: maybe(moment(-50, 50)),
};
const ofReversal = {
  source: fc.constantFrom('x', 'y'),
  claw_back: fc.boolean(),
  occurred_at: maybe(moment(-50, 50)),
};
const purpose = {
  feature: maybe(fc.constantFrom('search', 'summary')),
  spender: maybe(fc.constantFrom('ana', 'bia', 'caio')),
};
/** Months that are over at once, and lines of many months, of which some begin now. */
const line = fc
  .record({
    from: fc.integer({ min: -20, max: 60 }),
    lasts: fc.integer({ min: 1, max: 60 }),
    begun: fc.constantFrom(0, 0, 0, 1, 5),
    ends: fc.constantFrom(0, 0, 0, 1, 7),
    stars: fc.integer({ min: -100, max: 100 }),
    kind: fc.constantFrom({}, {}, { proration: true }, { proration: true, part: true }),
  })
  .map(({ from, lasts, begun, ends, stars, kind }) => ({
    from: iso(addMonths(start + from, -begun)),
    until: iso(addMonths(start + from + lasts, ends)),
    monthly_grant_stars: stars,
    tier: 'pro',
    ...kind,
  }));
/** Names one of the spends or holds so far. */
const one = fc.integer({ min: 0, max: 9 });

type Told = WalletEventType | 'stars.held' | 'hold.captured' | 'hold.released' | 'read';

/** What happens, with how often each comes. */
const told: Record<Told, [weight: number, fields: Record<string, fc.Arbitrary<unknown>>][]> = {
  'subscription.paid': [
    [
      4,
      {
        lines: fc.array(line, { minLength: 1, maxLength: 3 }),
        amount: maybe(fc.constant(90)),
        grace_minutes: maybe(fc.constantFrom(0, 1)),
        ...ofSubscription,
      },
    ],
    [1, { tier, period_end: moment(-20, 120), ...ofSubscription }],
  ],
  'subscription.changed': [[1, { status: fc.constantFrom('active', 'paused'), ...ofSubscription }]],
  'subscription.canceled': [[1, ofSubscription]],
  'subscription.reversed': [
    [4, { one, amount: maybe(fc.integer({ min: 0, max: 90 })), ...ofReversal }],
  ],
  'pack.purchased': [[3, { stars: more, expires_at: maybe(moment(-5, 100)) }]],
  'pack.reversed': [[5, { one, stars: maybe(fc.integer({ min: 0, max: 300 })), ...ofReversal }]],
  'stars.spent': [[3, { stars, ...purpose }]],
  'stars.refunded': [[2, { stars, one }]],
  'stars.adjusted': [
    [
      1,
      {
        monthly_change: change,
        pack_change: change.filter((n) => n !== 0),
        owed_change: fc.constantFrom(0, 0, 0, -1, -20),
        reason: fc.constant('r'),
      },
    ],
  ],
  'stars.held': [[4, { stars, lasts: fc.integer({ min: 1, max: 30 }), ...purpose }]],
  'hold.captured': [
    [4, { stars: maybe(fc.integer({ min: 1, max: 60 })), up_to_available: fc.boolean(), one }],
  ],
  'hold.released': [[2, { one }]],
  read: [[3, {}]],
};

export const step = fc.record({
  id: fc.integer({ min: 0, max: 90 }),
  later: fc.integer({ min: 0, max: 4 }),
  fields: fc.oneof(
    ...Object.entries(told).flatMap(([type, all]) =>
      all.map(([weight, fields]) => ({
        weight,
        arbitrary: fc.record({ type: fc.constant(type), ...fields }),
      })),
    ),
  ),
});
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What is stored of one wallet, and what was told of it. */
export class World {
  wallet: Wallet;
  readonly entries: LedgerEntry[] = [];
  readonly open = new Map<string, OpenHold>();
  readonly spends = new Map<string, Spend>();
  readonly purchases = new Map<string, Purchase>();
  readonly payments = new Map<string, SubscriptionPayment>();

  /** Of packs that expire, by expiry: the stars that came in, less those that were taken; until some pay what is owed. */
  readonly packs = new Map<number, number>();
  readonly alerts: { threshold: number; version: number }[] = [];
  readonly #items = new Map<string, Item>();
  readonly #done = new Set<string>();
  #hasPaidOwed = false;
  /** How often something happened. */
  readonly seen = {
    ...{ expired: 0, captured: 0, returned: 0, lost: 0, lapsed: 0, refunded: 0, beyond: 0 },
    ...{ taken: 0, forgiven: 0, owed: 0, given: 0 },
  };

  constructor(at = start) {
    this.wallet = { ...emptyWallet, opened_at: at, at, thresholds };
  }

  add(step: RuleResult, at: number): void {
    const { wallet, entry, notices } = step;
    this.wallet = wallet;
    this.entries.push(entry);
    const isOfSubscription = entry.type.startsWith('subscription.');
    const paysByPacks = isOfSubscription || entry.type === 'stars.granted';
    if (entry.reverses !== null || (paysByPacks && entry.pack_change !== 0))
      this.#hasPaidOwed = true;
    assert.equal(entry.at, iso(at));
    for (const one of notices) {
      if (one.type === 'stars.low')
        assert.equal(
          one.available_stars,
          entry.monthly_after + entry.pack_after - entry.held_after,
        );
      const threshold = one.type === 'stars.low' ? one.threshold : 0;
      this.alerts.push({ threshold, version: entry.version });
    }
    const item = ledgerEntryItem(organization_id, entry, wallet, notices.length);
    this.#items.set(`${item.pk} ${item.sk}`, item);
  }

  /** Only what reading a balance asks of it. */
  get table(): Table<'GetItem' | 'Query'> {
    return {
      ...fakeReads(({ pk, sk }) =>
        pk === walletKey(organization_id).pk
          ? walletItem(organization_id, this.wallet)
          : this.#items.get(`${pk} ${sk}`),
      ),
      ...fakeQueries(({ values, limit }) =>
        ':first' in values
          ? this.#entriesBetween(values, limit)
          : {
              items: [...this.open.values()]
                .map((hold) => openHoldItem(organization_id, hold))
                .filter(({ sk }) => sk < String(values[':sk']))
                .sort((a, b) => (a.sk < b.sk ? -1 : 1)),
              examined: this.open.size,
              last: undefined,
            },
      ),
    };
  }

  #entriesBetween(values: Record<string, unknown>, limit: number) {
    const [first, last] = [String(values[':first']), String(values[':last'])];
    const all = [...this.#items.values()].filter(
      ({ sk }) => String(sk) >= first && String(sk) <= last,
    );
    return { items: all.slice(0, limit), examined: limit, last: undefined };
  }

  balance(now: number, at?: number): Promise<Balance> {
    return readBalance(this.table, organization_id, now, at);
  }

  /** The balance of a wallet in which all that has expired was written off. */
  balanceNow(now: number): Balance {
    return toBalance(this.wallet, now);
  }

  /** Writes off what has expired, as every change does first. */
  settle(now: number): number {
    const expired = [...this.open.values()]
      .filter(({ expires_at }) => expires_at <= now)
      .sort((a, b) => a.expires_at - b.expires_at || (a.hold_id < b.hold_id ? -1 : 1));
    for (const { hold_id } of expired) this.open.delete(hold_id);
    const next = Math.min(...[...this.open.values()].map(({ expires_at }) => expires_at));
    const holds = { expired, next: Number.isFinite(next) ? next : undefined };
    for (const one of passTime(this.wallet, holds, now)) {
      this.add(one, one.wallet.at);
      if (one.expired) this.move(one.expired.expires_at, 1, one.expired.lots);
    }
    return expired.length;
  }

  /** Counts what was taken from expiring packs, and what came into them: never more than that is taken. */
  move(at: number, by: 1 | -1, lots: readonly Lot[]): void {
    for (const { compartment, expires_at, stars } of lots) {
      if (this.#hasPaidOwed) return;
      if (compartment === 'monthly' || expires_at === undefined) continue;
      if (by < 0) assert.ok(expires_at > at);
      if (expires_at <= at) continue;
      const after = (this.packs.get(expires_at) ?? 0) + by * stars;
      assert.ok(after >= 0, 'more was taken from expiring packs than `do` saw coming in');
      this.packs.set(expires_at, after);
    }
  }

  /** Does it at a time, unless it is refused, and looks whether all fits together. */
  do({ id, fields }: Pick<Step, 'id' | 'fields'>, at: number): void {
    const event_id = `e${id}`;
    // As the record does it.
    const isNew = !(fields.type as string).startsWith('hold.');
    if (isNew && this.#done.has(event_id)) return;
    this.seen.expired += this.settle(at);
    const before = this.wallet;
    const cause = causeOf(this, event_id, fields as Fields);
    const hold = this.open.get(cause.event_id);
    const spend = 'refunds' in cause ? this.spends.get(cause.refunds) : undefined;
    const isPro = 'tier' in cause && cause.tier === 'pro';
    const purchase = 'purchase' in cause ? this.purchases.get(cause.purchase) : undefined;
    const payment = 'paid' in cause ? this.payments.get(cause.paid) : undefined;
    const related = { plan: isPro ? plan : undefined, hold, spend, purchase, payment };
    const result = apply(before, cause, at, related);
    if (typeof result === 'string') return;
    this.add(result, at);
    const { entry, takenLots } = result;
    if (isNew) this.#done.add(event_id);
    if (cause.type === 'stars.held') {
      assert.equal(sum(takenLots), cause.stars);
      const open = { hold_id: event_id, at, lots: takenLots, ...purposeOf(cause) };
      this.open.set(event_id, { ...open, expires_at: expiryOf(cause, at) });
      this.move(at, -1, takenLots);
    } else if (hold) {
      this.open.delete(cause.event_id);
      this.spends.set(cause.event_id, { lots: takenLots, refunded: 0, ...purposeOf(hold) });
      const fromHold = Math.min(sum(takenLots), sum(hold.lots));
      this.move(at, 1, take(hold.lots, fromHold)!.rest);
      this.move(at, -1, take(takenLots, fromHold)!.rest);
      if (fromHold < sum(takenLots)) this.seen.beyond++;
      assert.equal(entry.held_change, -sum(hold.lots));
      assert.equal(entry.stars, -sum(takenLots) + 0);
      if (cause.type === 'hold.captured') this.seen.captured++;
      else this.seen.returned++;
    } else if (cause.type === 'stars.spent') {
      this.spends.set(event_id, { lots: takenLots, refunded: 0, ...purposeOf(cause) });
      this.move(at, -1, takenLots);
    } else if (cause.type === 'stars.refunded' && spend) {
      this.spends.set(cause.refunds, { ...spend, refunded: spend.refunded + cause.stars });
      assert.ok(spend.refunded + cause.stars <= sum(spend.lots));
      const lost = entry.lost.reduce((stars, one) => stars + one.stars, 0);
      assert.equal(entry.stars + lost, cause.stars);
      const [all, gone] = [[...spend.lots].reverse(), spend.refunded];
      this.move(at, 1, take(take(all, gone)!.rest, cause.stars)!.takenLots);
      this.seen.refunded++;
      if (lost > 0) this.seen.lost++;
    }
    if (cause.type === 'pack.purchased') {
      const { stars, expires_at } = cause;
      this.purchases.set(event_id, result.purchase!);
      this.move(at, 1, [{ compartment: 'pack', stars, ...(expires_at && { expires_at }) }]);
    }
    if (result.payment) {
      const id = cause.type === 'subscription.reversed' ? cause.paid : event_id;
      this.payments.set(id, result.payment);
    }
    if (cause.type === 'pack.reversed' && purchase) {
      const after = result.purchase!;
      this.purchases.set(cause.purchase, after);
      // What is taken, owed and forgiven adds up to what is reversed.
      const [then, now] = [reversalOf(purchase), reversalOf(after)];
      const forgiven = now.forgiven - then.forgiven;
      assert.equal(forgiven - entry.stars, now.reversed - then.reversed);
      assert.ok(now.forgiven >= 0);
      if (entry.stars < 0) this.seen.taken++;
      if (entry.stars > 0) this.seen.given++;
      if (forgiven > 0) this.seen.forgiven++;
      if (entry.owed_change > 0) this.seen.owed++;
    }
    if (entry.monthly_lapsed + entry.pack_lapsed > 0) this.seen.lapsed++;
    // Open holds have what is held, and nothing else is.
    const held = [...this.open.values()].flatMap(({ lots }) => lots);
    assert.equal(heldStars(this.wallet), sum(held));
    const { held_of_earlier_months, months, month } = this.wallet;
    const ofMonths = held.filter(({ compartment }) => compartment === 'monthly');
    const ofEarlier = ofMonths.filter((lot) => !month || lot.month !== months);
    assert.equal(held_of_earlier_months, sum(ofEarlier));
    assert.equal(this.wallet.open_holds, this.open.size);
    const { next_hold_expiry = Number.POSITIVE_INFINITY, packs } = this.wallet;
    assert.ok([...this.open.values()].every((one) => next_hold_expiry <= one.expires_at));
    // What has expired is gone, unless a hold has it.
    assert.ok(packs.every((one) => one.expires_at > at || one.stars === one.held));
  }
}

type Fields = { type: string; one?: number; lasts?: number; stars?: number } & Record<
  string,
  unknown
>;

const causeOf = (world: World, event_id: string, { one = 0, lasts = 1, ...fields }: Fields) => {
  const [spends, holds] = [[...world.spends.keys()], [...world.open.keys()]];
  const [purchases, payments] = [[...world.purchases.keys()], [...world.payments.keys()]];
  if (fields.type === 'stars.held')
    return { ...fields, event_id, expires_in_seconds: lasts / 1000 } as Cause;
  if (fields.type.startsWith('hold.'))
    return { ...fields, event_id: holds[one % holds.length] ?? 'none' } as Cause;
  const refunds = fields.type === 'stars.refunded' && {
    refunds: spends[one % spends.length] ?? 'none',
  };
  const reverses = {
    'pack.reversed': { purchase: purchases[one % purchases.length] ?? 'none' },
    'subscription.reversed': { paid: payments[one % payments.length] ?? 'none' },
  }[fields.type];
  return event({ ...fields, ...refunds, ...reverses, event_id });
};
