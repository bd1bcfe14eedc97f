import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countExpired, readExpired } from '../../../../lib/billing/limits/expired-holds.ts';
import type { Cause } from '../../../../lib/billing/rules/causes.ts';
import { passTime, type WalletStep } from '../../../../lib/billing/rules/step.ts';
import type { EventRecord } from '../../../../lib/billing/stored/event-record.ts';
import {
  emptyCounter,
  type SpendCounter,
  spendCounterKind,
} from '../../../../lib/billing/stored/limits/spend-counter.ts';
import { limitKind, type SpendLimit } from '../../../../lib/billing/stored/limits/spend-limit.ts';
import { sum } from '../../../../lib/billing/stored/lots.ts';
import type { Notice } from '../../../../lib/billing/stored/notice.ts';
import { type OpenHold, openHoldOf } from '../../../../lib/billing/stored/open-hold.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/stored/wallet.ts';
import type { CounterKind, LimitPeriod } from '../../../../lib/billing/terms/limit-terms.ts';
import { decide, type UpdateResult } from '../../../../lib/billing/writer/decisions.ts';
import { limitsFor } from '../../../../lib/billing/writer/limits-for.ts';
import { recordsOf } from '../../../../lib/billing/writer/writes.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import { ofTime } from '../../../../lib/facts/origin.ts';
import type { Key } from '../../../../lib/table/keys.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { fakeReads } from '../../../support/fake-table.ts';
import { organization_id } from '../rules/wallets.ts';

// A wallet with limits to which anything happens, beside a plain model: every star that was taken, with when, by whom, for
// what, and whether it came back.

const kinds: readonly CounterKind[] = ['spender', 'feature'];
const spender = fc.constantFrom('ada', 'ada', 'bob', undefined);
const feature = fc.constantFrom('chat', 'search', undefined);
const stars = fc.integer({ min: 1, max: 30 });
const one = fc.integer({ min: 0, max: 1 });
const hours = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  fc.constantFrom(1, 5, 20, 24 * 6, 24 * 20),
  fc.constantFrom(1, 5, 20),
);

const limit = fc.record({
  stars: fc.integer({ min: 0, max: 60 }),
  period: fc.constantFrom<LimitPeriod>('day', 'week', 'month', 'total'),
  enabled: fc.constantFrom(true, true, true, false),
  alert_at: fc.constantFrom(null, 1, 20),
});

/** What happens, some hours after what happened before. */
export const limitStep = fc.record({
  hours,
  what: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('spend' as const), stars, spender, feature }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('hold' as const),
        stars,
        spender,
        feature,
        lasts: fc.constantFrom(1, 10, 100, 160, 160),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('capture' as const),
        one,
        stars: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
        upTo: fc.constantFrom(true, true, false),
      }),
    },
    fc.record({ type: fc.constant('release' as const), one }),
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('refund' as const), one, stars }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('put' as const),
        key: fc.constantFrom('spender#ada', 'default#spender', 'feature#chat'),
        limit,
      }),
    },
    fc.record({
      type: fc.constant('delete' as const),
      key: fc.constantFrom('spender#ada', 'default#spender', 'feature#chat'),
    }),
  ),
});
export type LimitStep = typeof limitStep extends fc.Arbitrary<infer T> ? T : never;

/** A star of the model. */
interface ModelStar {
  at: number;
  /** The counters that counted it. */
  counted: ReadonlySet<string>;
  isBack: boolean;
}

interface Taken {
  id: string;
  purpose: { spender?: string | undefined; feature?: string | undefined };
  stars: ModelStar[];
}

/** A limit, and what was used of it before something happened. */
interface UsedBefore {
  counter: string;
  own: SpendLimit;
  used: number;
}

const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7);
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
/** The Monday, by counting days back until there is one. */
const weekOf = (at: number): string => {
  let day = at;
  while (new Date(day).getUTCDay() !== 1) day -= 86_400_000;
  return dayOf(day);
};
const names = { day: dayOf, week: weekOf, month: monthOf, total: () => '' };

export class LimitWorld {
  wallet: Wallet = {
    ...emptyWallet,
    at: Date.parse('2026-11-24T12:00:00Z'),
    pack_stars: 400,
  };
  readonly limits = new Map<string, SpendLimit>();
  readonly counters = new Map<string, SpendCounter>();
  readonly records = new Map<string, EventRecord>();
  readonly open = new Map<string, OpenHold>();
  readonly notices: Notice[] = [];
  #ids = 0;

  // The model.
  readonly #all: ModelStar[] = [];
  readonly #holds: Taken[] = [];
  readonly #spends: Taken[] = [];
  /** How often something happened. */
  readonly seen = { spent: 0, refused: 0, expired: 0, beyond: 0, cut: 0, refunded: 0, told: 0 };

  get #table() {
    return fakeReads(({ pk, sk }: Key): Item | undefined => {
      const [kind = '', name = ''] = sk.split('#');
      const ids = { organizationId: organization_id, kind, name };
      if (pk.startsWith('SPENT#')) {
        const counter = this.counters.get(sk);
        return counter && spendCounterKind.key(ids).item(counter);
      }
      const limit = this.limits.get(sk);
      return limit && limitKind.key(ids).item({ ...limit, version: 1 });
    });
  }

  #keep(step: WalletStep): void {
    this.wallet = step.wallet;
    for (const [id, record] of recordsOf(step)) {
      this.records.set(id, record);
      const open = openHoldOf(id, record);
      if (open) this.open.set(id, open);
      else this.open.delete(id);
    }
    for (const [key, { after }] of step.counters ?? []) {
      this.counters.set(key, { ...after, version: after.version + 1 });
    }
    this.notices.push(...step.notices);
  }

  async #settle(now: number): Promise<void> {
    const expired = [...this.open.values()]
      .filter(({ expires_at }) => expires_at <= now)
      .sort((a, b) => a.expires_at - b.expires_at);
    const passed = passTime(this.wallet, { expired }, now);
    const state = await readExpired(this.#table, organization_id, expired);
    for (const step of countExpired(state, this.wallet, passed)) this.#keep(step);
    for (const { hold_id } of expired) {
      this.open.delete(hold_id);
      const [held] = this.#holds.splice(
        this.#holds.findIndex(({ id }) => id === hold_id),
        1,
      );
      for (const star of held!.stars) star.isBack = true;
      this.seen.expired++;
    }
  }

  async #ask(cause: Cause, now: number): Promise<UpdateResult> {
    const update = { cause, origin: ofTime, spender: undefined };
    const found = {
      wallet: this.wallet,
      records: this.records,
      plans: new Map(),
      payments: new Set<string>(),
      owners: new Map(),
    };
    const limits = await limitsFor(this.#table, organization_id, [update], found);
    const [decision] = decide([update], { ...found, limits }, now);
    if (decision!.step) this.#keep(decision!.step);
    return decision!.result;
  }

  /** What the model counts by, for this purpose. */
  #countersOn(purpose: Taken['purpose']): string[] {
    return kinds.flatMap((kind) => {
      const name = purpose[kind];
      const isOn = [...this.limits.keys()].some((key) =>
        kind === 'feature' ? key.startsWith('feature') : !key.startsWith('feature'),
      );
      return name !== undefined && isOn ? [`${kind}#${name}`] : [];
    });
  }

  limitOf(counter: string): SpendLimit | undefined {
    const own = this.limits.get(counter);
    return own ?? (counter.startsWith('spender') ? this.limits.get('default#spender') : undefined);
  }

  used(counter: string, period: LimitPeriod, now: number): number {
    const nameOf = names[period];
    const counts = ({ at, counted, isBack }: ModelStar) =>
      !isBack && counted.has(counter) && nameOf(at) === nameOf(now);
    return this.#all.filter(counts).length;
  }

  /** The fewest stars that the limits leave. */
  #left(purpose: Taken['purpose'], now: number): { left: number; counter?: string } {
    let tightest: { left: number; counter?: string } = { left: Number.POSITIVE_INFINITY };
    for (const counter of this.#countersOn(purpose)) {
      const own = this.limitOf(counter);
      if (!own?.enabled) continue;
      const left = Math.max(0, own.stars - this.used(counter, own.period, now));
      if (left < tightest.left) tightest = { left, counter };
    }
    return tightest;
  }

  #make(purpose: Taken['purpose'], count: number, at: number): ModelStar[] {
    const counted = new Set(this.#countersOn(purpose));
    const made = Array.from({ length: count }, () => ({ at, counted, isBack: false }));
    this.#all.push(...made);
    return made;
  }

  async do({ what }: LimitStep, now: number): Promise<void> {
    await this.#settle(now);
    const id = `e${this.#ids++}`;
    const free = this.wallet.pack_stars - this.wallet.held.pack;
    switch (what.type) {
      case 'put':
      case 'delete': {
        if (what.type === 'put') this.limits.set(what.key, what.limit);
        else this.limits.delete(what.key);
        const all = [...this.limits.keys()];
        const feature = all.filter((key) => key.startsWith('feature')).length;
        this.wallet = { ...this.wallet, limits: { spender: all.length - feature, feature } };
        return;
      }
      case 'spend':
      case 'hold': {
        const { stars, spender, feature } = what;
        const purpose = { spender, feature };
        const before = this.#usedOf(purpose, now);
        const { left, counter } = this.#left(purpose, now);
        const result = await this.#ask(
          what.type === 'spend'
            ? { type: 'stars.spent', event_id: id, organization_id, stars, ...purpose }
            : {
                type: 'stars.held',
                event_id: id,
                stars,
                expires_in_seconds: what.lasts * 3600,
                ...purpose,
              },
          now,
        );
        if (stars > free) return this.#refused(result, 'insufficient_stars');
        if (stars > left) return this.#refused(result, 'spend_limit_reached', counter, left);
        assert.ok('record' in result);
        const taken = { id, purpose, stars: this.#make(purpose, stars, now) };
        (what.type === 'spend' ? this.#spends : this.#holds).push(taken);
        this.seen.spent++;
        return this.#told(before, now);
      }
      case 'release': {
        const [hold] = this.#holds.splice(what.one, 1);
        if (!hold) return;
        assert.ok('record' in (await this.#ask({ type: 'hold.released', event_id: hold.id }, now)));
        for (const star of hold.stars) star.isBack = true;
        return;
      }
      case 'capture': {
        const hold = this.#holds[what.one];
        if (!hold) return;
        const { purpose, stars: held } = hold;
        const asked = what.stars ?? held.length;
        const before = this.#usedOf(purpose, now);
        const { left, counter } = this.#left(purpose, now);
        const beyond = Math.max(0, asked - held.length);
        const result = await this.#ask(
          {
            type: 'hold.captured',
            event_id: hold.id,
            stars: what.stars,
            up_to_available: what.upTo,
          },
          now,
        );
        if (!what.upTo && beyond > free) return this.#refused(result, 'insufficient_stars');
        if (!what.upTo && beyond > left)
          return this.#refused(result, 'spend_limit_reached', counter, left);
        assert.ok('record' in result);
        const more = Math.min(beyond, free, left);
        assert.equal(sum(result.record.spend!.lots), Math.min(asked, held.length) + more);
        this.#holds.splice(what.one, 1);
        for (const star of held.slice(asked)) star.isBack = true;
        const stars = [...held.slice(0, asked), ...this.#make(purpose, more, now)];
        this.#spends.push({ ...hold, stars });
        if (more > 0) this.seen.beyond++;
        if (more < beyond) this.seen.cut++;
        return this.#told(before, now);
      }
      case 'refund': {
        const spend = this.#spends[what.one];
        if (!spend) return;
        const { id: refunds, stars: all } = spend;
        const { stars } = what;
        const cause = { type: 'stars.refunded' as const, event_id: id, refunds, stars };
        const result = await this.#ask({ ...cause, organization_id }, now);
        const left = all.filter(({ isBack }) => !isBack);
        if (stars > left.length) return this.#refused(result, 'invalid_request');
        assert.ok('record' in result);
        for (const star of left.slice(-stars)) star.isBack = true;
        this.seen.refunded++;
      }
    }
  }

  #refused(result: UpdateResult, code: string, counter?: string, left_stars?: number): void {
    assert.ok('error' in result && result.error instanceof ApiError);
    assert.equal(result.error.code, code);
    if (code !== 'spend_limit_reached') return;
    const { spend_limit } = result.error.details![0]!;
    assert.equal(`${spend_limit?.kind}#${spend_limit?.name}`, counter);
    assert.equal(spend_limit?.left_stars, left_stars);
    this.seen.refused++;
  }

  #usedOf(purpose: Taken['purpose'], now: number): UsedBefore[] {
    this.notices.length = 0;
    return this.#countersOn(purpose).flatMap((counter) => {
      const own = this.limitOf(counter);
      return own ? [{ counter, own, used: this.used(counter, own.period, now) }] : [];
    });
  }

  /** Each limit tells once that it is reached, and its alert, as what was used rises to it. */
  #told(before: UsedBefore[], now: number): void {
    const expected = before.flatMap(({ counter, own, used }) => {
      const after = this.used(counter, own.period, now);
      const rises = (to: number | null) => to !== null && used < to && after >= to;
      return [
        ...(rises(own.alert_at) ? [`spend_limit.low ${counter} ${after}`] : []),
        ...(rises(own.stars) ? [`spend_limit.reached ${counter} ${after}`] : []),
      ];
    });
    const told = this.notices.flatMap((one) =>
      'used_stars' in one ? [`${one.type} ${one.kind}#${one.name} ${one.used_stars}`] : [],
    );
    assert.deepEqual(told, expected);
    this.seen.told += told.length;
  }

  /** Every counter is what the model counts, in each period. */
  assertCounted(now: number): void {
    for (const counter of ['spender#ada', 'spender#bob', 'feature#chat', 'feature#search']) {
      const stored = this.counters.get(counter) ?? emptyCounter;
      for (const period of ['day', 'week', 'month', 'total'] as const) {
        const isCurrent = names[period](stored.at) === names[period](now);
        const used = isCurrent ? stored[period] : 0;
        assert.equal(used, this.used(counter, period, now), `${counter} ${period}`);
      }
    }
  }
}
