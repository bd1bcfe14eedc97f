import { describe, expect, test } from 'vitest';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import { FaultProxy } from '../../faults/fault-proxy.ts';
import { expectSoundLedger } from '../../support/billing.ts';
import { surroundings, withTableAt } from '../support.ts';
import {
  apply,
  failure,
  historyOf,
  soon,
  spend,
  table,
  walletOf,
  withStars,
} from './in-process-wallet.ts';

/** A table where others come between reading and writing, as often as told. */
const overtaken = (meanwhile: () => Promise<unknown>, times = 1, deadline = soon()) => {
  let left = times;
  const getAll: TableClient['getAll'] = async (keys) => {
    const found = await table.getAll(keys);
    if (left-- > 0) await meanwhile();
    return found;
  };
  const [transact, query] = [table.transact.bind(table), table.query.bind(table)];
  const get: TableClient['get'] = async (key) => (await getAll([key]))[0];
  return { get, getAll, query, transact, deadline };
};

describe('a repeat', () => {
  test('that comes while the first is applied is answered as the first', async () => {
    const organization = await withStars(0, 10);
    const event = spend(organization, 10);
    let first: unknown;
    const between = overtaken(async () => {
      first = await apply(event);
    });
    expect(await applyEvent(between, event)).toEqual(first);
    expect((await historyOf(organization)).length).toBe(2);
  });

  test('that reads the guard before, and the wallet after, the first is not refused', async () => {
    const organization = await withStars(0, 10);
    const event = spend(organization, 10);
    const first = await apply(event);
    let reads = 0;
    const late: Pick<TableClient, 'get' | 'getAll' | 'query' | 'transact' | 'deadline'> = {
      deadline: soon(),
      query: table.query.bind(table),
      get: (key) => table.get(key),
      getAll: async (keys) => {
        const [wallet, guard, ...others] = await table.getAll(keys);
        return reads++ === 0 ? [wallet, undefined, ...others] : [wallet, guard, ...others];
      },
      transact: table.transact.bind(table),
    };
    expect(await applyEvent(late, event)).toEqual(first);
    expect(reads).toBe(2);
  });
});

describe('who loses a race', () => {
  test('decides anew from the wallet as it is then', async () => {
    const organization = await withStars(0, 10);
    const between = overtaken(() => apply(spend(organization, 3)), 3);
    const { balance } = await applyEvent(between, spend(organization, 1));
    expect(balance.total_stars).toBe(0);
    expectSoundLedger(await historyOf(organization));
  });

  test('decides anew, too, when DynamoDB says that two conflict', async () => {
    const organization = await withStars(0, 10);
    const proxy = await FaultProxy.start(surroundings.tableEndpoint);
    const watched = proxy.watch([organization.id]);
    watched.plan({ name: 'once', strike: (k) => (k === 2 ? 'conflict' : undefined) });
    await withTableAt(proxy.endpoint, async () => {
      const { balance } = await applyEvent(openTable(), spend(organization, 1));
      expect(balance.total_stars).toBe(9);
    });
    await proxy.close();
    const once = ['BatchGetItem', 'TransactWriteItems'];
    expect(watched.requests).toEqual([...once, ...once]);
  });

  test('gives up when the time is up, and nothing is stored', async () => {
    const organization = await withStars(0, 10);
    const between = overtaken(() => apply(spend(organization, 1)), 1, Date.now() - 1);
    const late = applyEvent(between, spend(organization, 5));
    expect(await failure(late)).toMatchObject({ code: 'write_conflict' });
    expect((await walletOf(organization))?.pack_stars).toBe(9);
    expect((await historyOf(organization)).length).toBe(2);
  });
});
