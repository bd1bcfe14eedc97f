import assert from 'node:assert/strict';
import { areInOnePeriod } from '../../../../lib/billing/limits/periods.ts';
import { eventRecordKind } from '../../../../lib/billing/stored/event-record.ts';
import {
  type SpendCounter,
  spendCounterKind,
  toSpendCounter,
} from '../../../../lib/billing/stored/limits/spend-counter.ts';
import {
  limitKind,
  limitNamesOf,
  type SpendLimit,
  toSpendLimit,
} from '../../../../lib/billing/stored/limits/spend-limit.ts';
import { openHoldKind, toOpenHold } from '../../../../lib/billing/stored/open-hold.ts';
import type { Wallet } from '../../../../lib/billing/stored/wallet.ts';
import type { CounterKind, CounterName } from '../../../../lib/billing/terms/limit-terms.ts';
import { places } from '../../../../lib/table/keys.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { put } from '../../../../lib/table/write.ts';
import { itemOf } from '../../../support/billing-items.ts';
import { countedStars } from '../../../support/counted-stars.ts';
import { WalletSimulation, walletWith } from '../writer/wallet-simulation.ts';

/** Limits by `kind/name`: so many stars in all, unless they say more. */
export type Limits = Readonly<Record<string, number | SpendLimit>>;

export const inAll = (stars: number): SpendLimit => ({
  stars,
  period: 'total',
  enabled: true,
  alert_at: null,
});

const nameIn = (text: string) => {
  const [kind = '', name = ''] = text.split('/');
  return { kind, name };
};

/** A wallet with limits in virtual time. Throws as soon as a transaction goes a star beyond the limits of then. */
export class LimitedSimulation extends WalletSimulation {
  readonly #limits = new Map<string, SpendLimit>();
  readonly #counters = new Map<string, SpendCounter>();

  constructor(seed: number, limits: Limits, wallet: Wallet = walletWith(0)) {
    const names = Object.keys(limits);
    const feature = names.filter((name) => name.startsWith('feature')).length;
    const counted = { spender: names.length - feature, feature };
    super(seed, { ...wallet, limits: counted, limits_version: names.length });
    for (const [name, limit] of Object.entries(limits)) {
      const content = typeof limit === 'number' ? inAll(limit) : limit;
      const ids = { organizationId: this.organizationId, ...nameIn(name) };
      const item = itemOf(put(limitKind.key(ids), { ...content, version: 1 }));
      this.store.put(item);
      this.#limits.set(String(item.sk), content);
    }
    const { onWrite } = this.store;
    this.store.onWrite = (items) => {
      onWrite(items);
      this.#check(items);
    };
  }

  /** What was counted, undefined where nothing ever was. */
  counter(text: string): SpendCounter | undefined {
    const key = spendCounterKind.key({ organizationId: this.organizationId, ...nameIn(text) });
    const item = key.read(this.store.get(key));
    return item && toSpendCounter(item);
  }

  /** How often a notice of this type was sent. */
  notices(type: string): number {
    const pk = places.notice.partition({ organizationId: this.organizationId });
    return this.store.partition(pk).filter((one) => one.type === type).length;
  }

  /** Throws unless ledger and wallet are sound, and counters have what is still spent or held. */
  audit(): void {
    const { organizationId, store } = this;
    const ids = new Set(this.ledger().map(({ event_id }) => event_id ?? ''));
    const records = [...ids].flatMap((eventId) => {
      const key = eventRecordKind.key({ organizationId, eventId });
      return key.read(store.get(key)) ?? [];
    });
    const open = store
      .partition(openHoldKind.partition({ organizationId }))
      .map((item) => toOpenHold(openHoldKind.parse(item)));
    const counted = countedStars(
      open,
      records.flatMap(({ spend }) => spend ?? []),
    );
    const totals = [...this.#counters].map(([sk, { total }]) => [sk, total] as const);
    const isCounted = ([, stars]: readonly [string, number]) => stars > 0;
    assert.deepEqual(
      new Map(totals.filter(isCounted).toSorted()),
      new Map([...counted].filter(isCounted).toSorted()),
    );
  }

  #check(items: readonly Item[]): void {
    const { organizationId } = this;
    const inPlace = (place: { partition(ids: { organizationId: string }): string }) =>
      items.filter(({ pk }) => pk === place.partition({ organizationId }));
    for (const item of inPlace(places.spendLimit)) {
      const sk = String(item.sk);
      if (item.stars === undefined) this.#limits.delete(sk);
      else this.#limits.set(sk, toSpendLimit(limitKind.parse(item)));
    }
    for (const item of inPlace(places.spendCounter)) {
      const sk = String(item.sk);
      const after = toSpendCounter(spendCounterKind.parse(item));
      const [kind, name] = sk.split('#') as [CounterKind, string];
      this.#checkCounter({ kind, name }, this.#counters.get(sk), after);
      this.#counters.set(sk, after);
    }
  }

  /** What rises is within the limit. What was put below what is used may stay, and fall. */
  #checkCounter(name: CounterName, before: SpendCounter | undefined, after: SpendCounter): void {
    const [limit] = limitNamesOf(name).flatMap(
      (one) => this.#limits.get(`${one.kind}#${one.name}`) ?? [],
    );
    if (!limit?.enabled) return;
    const { period, stars } = limit;
    const isSame = before && areInOnePeriod(period, before.at, after.at);
    const rises = after[period] > (isSame ? before[period] : 0);
    const message = `${name.kind} ${name.name}: ${after[period]} of ${stars}`;
    assert(!rises || after[period] <= stars, message);
  }
}
