import { afterEach, expect, test, vi } from 'vitest';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { assertSum } from '../../../../lib/billing/rules/invariants.ts';
import type { WalletEvent } from '../../../../lib/billing/rules/wallet-events.ts';
import { toWallet, walletKind } from '../../../../lib/billing/stored/wallet.ts';
import { changeWalletInBatch } from '../../../../lib/billing/writer/change-wallet.ts';
import type { UpdateResult } from '../../../../lib/billing/writer/decisions.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import { readLedger } from '../../../../tools/admin/read-wallet.ts';
import { conflict, FaultStore, type StoreStep } from '../../../support/faults/fault-store.ts';
import { eventRecordKey } from '../../../support/keys.ts';
import { chance, pick, type Random, random, seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { walletEvents } from '../../../support/wallet-events.ts';
import type { Organization } from '../../support.ts';
import { at, held, iso, limited, named } from '../holds/in-process-holds.ts';
import {
  change,
  changing,
  eventOf,
  soon,
  table,
  walletOf,
  withStars,
} from '../in-process-wallet.ts';

afterEach(() => {
  vi.useRealTimers();
});

const second = 1000;

/** Makes events of every kind, of which many refund, repeat or contradict others. */
const eventMaker = (next: Random) => {
  const all: { event_id: string }[] = [];
  const stars = () => 1 + Math.floor(next() ** 2 * 60);
  const spend = () => ({
    type: 'stars.spent',
    stars: stars(),
    ...(chance(next, 0.3) && { reason: 'By chance' }),
  });
  const end = () => iso(Date.now() + 40 * second * next());
  const refunds = () =>
    pick(next, ['none', 'hold-0', ...all.slice(-8).map(({ event_id }) => event_id)]);
  const oneOf = (type: string) => {
    const some = all.filter((one) => 'type' in one && one.type === type);
    return pick(next, ['none', ...some.slice(-4).map(({ event_id }) => event_id)]);
  };
  const { refunded, ...others } = walletEvents(next, stars, {
    monthMs: () => Math.ceil(40 * second * next()),
    packEnd: end,
    refunds,
    purchase: () => oneOf('pack.purchased'),
    paid: () => oneOf('subscription.paid'),
  });
  const kinds = [
    spend,
    spend,
    spend,
    refunded,
    refunded,
    others.reversed,
    ...Object.values(others),
  ];
  /** The same for each organization. */
  return (): { event_id: string } => {
    if (all.length > 0 && chance(next, 0.1)) return pick(next, all);
    const fields = pick(next, kinds)();
    const isReused = chance(next, 0.04) && all.length > 0;
    const event_id = isReused ? pick(next, all).event_id : `e-${all.length}`;
    const event = { event_id, ...fields };
    all.push(event);
    return event;
  };
};

/** Undefined where an event names itself, which no schema lets through. */
const tryToRead = (organization: Organization, fields: object): WalletEvent | undefined => {
  try {
    return eventOf(organization, fields);
  } catch {
    return undefined;
  }
};

/** What the caller is told, the same for two organizations. */
const told = (result: UpdateResult) => {
  if ('record' in result) return { balance: result.record.balance, isRepeat: result.isRepeat };
  if (!(result.error instanceof ApiError)) throw result.error;
  return { code: result.error.code, details: result.error.details };
};

const oneByOne = async (events: readonly WalletEvent[]) => {
  const results: unknown[] = [];
  for (const event of events) {
    const [result] = await changeWalletInBatch(
      changing(limited()),
      change(event.organization_id, eventUpdate(event)),
    );
    results.push(told(result!));
  }
  return results;
};

/** Everything that is stored of it, but for what names the organization. */
const stateOf = async (organization: Organization, events: readonly { event_id: string }[]) => {
  const wallet = await walletOf(organization);
  const entries = await readLedger(table, organization.id);
  assertSum(toWallet(walletKind.parse(wallet!)), entries);
  const ids = ['hold-0', 'hold-1', 'hold-2', ...events.map(({ event_id }) => event_id)];
  const records = await table.getAll(ids.map((id) => eventRecordKey(organization.id, id)));
  return {
    wallet: { ...wallet, pk: undefined },
    entries: entries.filter(({ event_id }) => event_id !== organization.id),
    records: records.map(
      (record) =>
        record && { ...record, pk: undefined, fingerprint: undefined, tickets: undefined },
    ),
  };
};

/** A transaction that DynamoDB refuses as another is under way, or whose reply is lost, so that the SDK repeats it. */
const conflictsAndLostReplies =
  (next: Random): StoreStep =>
  async ({ operation }, pass) => {
    if (operation !== 'TransactWrite') return pass();
    const fate = next();
    if (fate < 0.2) throw conflict();
    if (fate < 0.4) await pass();
    return pass();
  };

const withHolds = async () => {
  const organization = await withStars(60, 40);
  for (const n of [0, 1, 2]) await held(named(organization, `hold-${n}`), 5, 3 + 20 * n);
  return organization;
};

test(`events in batches do what they do one after another (SEED=${seed})`, async () => {
  for (let round = 0; round < times(1, 8); round++) {
    const next = random(seed + round);
    const make = eventMaker(next);
    let time = Date.now();
    at(time);
    const [alone, together] = [await withHolds(), await withHolds()];
    const disturbed = new FaultStore(conflictsAndLostReplies(next));
    const ids: { event_id: string }[] = [];
    for (let batch = 0; batch < 4; batch++) {
      const size = 1 + Math.floor(next() ** 2 * 40);
      const events = Array.from({ length: size }, make).filter((one) => tryToRead(alone, one));
      ids.push(...events);
      const of = (one: Organization) => events.map((fields) => eventOf(one, fields));
      const results = await changeWalletInBatch(
        changing(disturbed.table({ deadline: soon() })),
        change(together.id, ...of(together).map((event) => eventUpdate(event))),
      );
      const message = `round ${round}, batch ${batch}`;
      expect(results.map(told), message).toEqual(await oneByOne(of(alone)));
      expect(await stateOf(together, ids), message).toEqual(await stateOf(alone, ids));
      time += Math.floor(15 * second * next());
      at(time);
    }
  }
});
