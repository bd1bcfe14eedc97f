import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { applyEvents } from '../../../lib/billing/apply-event.ts';
import type { WalletEvent } from '../../../lib/billing/wallet-events.ts';
import { walletEventKey } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import { expectSoundLedger } from '../../support/billing.ts';
import { conflict, FaultStore, type StoreStep } from '../../support/faults/fault-store.ts';
import type { Organization } from '../support.ts';
import {
  apply,
  eventOf,
  historyOf,
  soon,
  spend,
  table,
  walletOf,
  withStars,
} from './in-process-wallet.ts';

/** A store, what it was asked, and how many items each of its transactions had. */
const watch = (between?: () => Promise<unknown>) => {
  const requests: string[] = [];
  const step: StoreStep = async ({ operation, input }, pass) => {
    const { length } = input.TransactItems ?? [];
    requests.push(length ? `${operation} ${length}` : operation);
    if (operation === 'TransactWrite' && requests.length === 2) await between?.();
    return pass();
  };
  return { requests, store: new FaultStore(step) };
};

const send = (events: readonly WalletEvent[], store?: FaultStore) =>
  applyEvents(
    store?.table({ deadline: soon() }) ?? table.during({ deadline: soon() }),
    events[0]!.organization_id,
    events,
  );

/** What is left after each, or why it is not applied. */
const summarize = (results: Awaited<ReturnType<typeof send>>) =>
  results.map((result) => {
    if ('error' in result) return (result.error as { code: string }).code;
    return result.outcome.refusal ?? result.outcome.balance.total_stars;
  });

const spends = (organization: Organization, count: number, stars = 1) =>
  Array.from({ length: count }, () => spend(organization, stars));

describe('a batch', () => {
  test('is one reading and one transaction, with the wallet written once', async () => {
    const organization = await withStars(0, 100);
    const { requests, store } = watch();
    const results = await send(spends(organization, 25), store);
    expect(summarize(results)).toEqual(Array.from({ length: 25 }, (_, i) => 99 - i));
    expect(requests).toEqual(['BatchGet', 'TransactWrite 51']);
    const entries = await historyOf(organization);
    expectSoundLedger(entries);
    expect(entries).toHaveLength(26);
  });

  test('of more than a transaction takes is made in several, each as full as it can be', async () => {
    const organization = await withStars(0, 100);
    const { requests, store } = watch();
    expect(summarize(await send(spends(organization, 60), store)).at(-1)).toBe(40);
    expect(requests).toEqual(['BatchGet', 'TransactWrite 99', 'BatchGet', 'TransactWrite 23']);
    expect((await walletOf(organization))?.version).toBe(61);
  });

  test('has an outcome for each: applied, repeated, refused, with the id of another', async () => {
    const organization = await withStars(0, 10);
    const [one, two] = [spend(organization, 4), spend(organization, 20)];
    const results = await send([
      one,
      two,
      one,
      { ...one, stars: 5 } as WalletEvent,
      eventOf(organization, { type: 'pack.purchased', stars: 20 }),
      two,
      spend(organization, 7),
    ]);
    expect(summarize(results)).toEqual([
      6,
      'insufficient_stars',
      6,
      'event_id_reused',
      26,
      6,
      'insufficient_stars',
    ]);
    expect((await historyOf(organization)).length).toBe(4);
  });

  test('that only repeats writes nothing', async () => {
    const organization = await withStars(0, 10);
    const events = spends(organization, 2);
    const first = await send(events);
    const { requests, store } = watch();
    expect(summarize(await send(events, store))).toEqual(summarize(first));
    expect(requests).toEqual(['BatchGet']);
  });

  test('with refunds of one spend, and the spend itself, writes its guard once', async () => {
    const organization = await withStars(0, 10);
    const spent = spend(organization, 8);
    const refund = (stars: number) =>
      eventOf(organization, { type: 'stars.refunded', stars, refunds: spent.event_id });
    const { requests, store } = watch();
    const results = await send([spent, refund(3), refund(4), refund(2)], store);
    expect(summarize(results)).toEqual([2, 5, 9, 'more_than_spent']);
    // Of the refusal, the guard is read again.
    expect(requests.filter((one) => one !== 'Get')).toEqual(['BatchGet', 'TransactWrite 7']);
    expect(summarize(await send([refund(2), refund(1)]))).toEqual(['more_than_spent', 10]);
  });

  test('of an unknown organization is refused, one by one', async () => {
    const nobody = { id: randomUUID() } as Organization;
    expect(summarize(await send(spends(nobody, 2)))).toEqual([
      'invalid_request',
      'invalid_request',
    ]);
  });
});

describe('who comes between', () => {
  test('with one of its events gives that one its outcome, and the others are applied', async () => {
    const organization = await withStars(0, 10);
    const events = spends(organization, 3, 2);
    const { requests, store } = watch(() => apply(events[1]!));
    expect(summarize(await send(events, store))).toEqual([6, 8, 4]);
    expect(requests).toEqual(['BatchGet', 'TransactWrite 7', 'BatchGet', 'TransactWrite 5']);
  });

  test('with another change makes it decide anew', async () => {
    const organization = await withStars(0, 10);
    const { store } = watch(() => apply(spend(organization, 7)));
    const results = await send(spends(organization, 2, 2), store);
    expect(summarize(results)).toEqual([1, 'insufficient_stars']);
  });

  test('before the wallet was read, and after the guard was, has its first outcome told', async () => {
    const organization = await withStars(0, 10);
    const one = spend(organization, 8);
    await apply(one);
    const { pk } = walletEventKey(organization.id, one.event_id);
    let isFirst = true;
    const step: StoreStep = async ({ operation }, pass) => {
      const found = await pass();
      if (operation !== 'BatchGet' || !isFirst) return found;
      isFirst = false;
      const hidden = Object.entries(found.Responses).map(([name, items]) => [
        name,
        (items as Item[]).filter((item) => item.pk !== pk),
      ]);
      return { ...found, Responses: Object.fromEntries(hidden) };
    };
    const results = await send([one, spend(organization, 1)], new FaultStore(step));
    expect(summarize(results)).toEqual([2, 1]);
  });

  test('until the time is up leaves all as conflicts, and nothing is stored', async () => {
    const organization = await withStars(0, 10);
    const step: StoreStep = async ({ operation }, pass) => {
      if (operation === 'TransactWrite') throw conflict();
      return pass();
    };
    const late = new FaultStore(step).table({ deadline: Date.now() });
    const results = await applyEvents(late, organization.id, spends(organization, 2));
    expect(summarize(results)).toEqual(['write_conflict', 'write_conflict']);
    expect((await walletOf(organization))?.pack_stars).toBe(10);
    expect(summarize(await send(spends(organization, 2)))).toEqual([9, 8]);
  });
});
