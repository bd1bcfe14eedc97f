import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { handler as getBalance } from '../../../functions/billing/get-balance.ts';
import { handler as putPlan } from '../../../functions/billing/put-plan.ts';
import { handler as spendStars } from '../../../functions/billing/spend-stars.ts';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import { balance as balanceSchema } from '../../../lib/billing/balance.ts';
import { toRefusalError } from '../../../lib/billing/change-wallet.ts';
import { refusals } from '../../../lib/billing/refusals.ts';
import { toLedgerEntry } from '../../../lib/billing/stored-entry.ts';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import { ledgerEntryKey, walletKey } from '../../../lib/table/keys.ts';
import { expectSoundLedger, inAnHour } from '../../support/billing.ts';
import { contextFor, Organization, run, withTableAt } from '../support.ts';
import {
  apply,
  eventOf,
  failure,
  historyOf,
  soon,
  spend,
  table,
  walletOf,
  withStars,
} from './in-process-wallet.ts';

/** The table, and what it is asked for; what is written goes to another one, if told. */
const counting = (writes: TableClient = table) => {
  const requests: string[] = [];
  const counted: Pick<TableClient, 'get' | 'getAll' | 'query' | 'transact' | 'deadline'> = {
    deadline: soon(),
    query(...asked) {
      requests.push('query');
      return table.query(...asked);
    },
    get: async (key) => (await counted.getAll([key]))[0],
    getAll(keys) {
      requests.push(`read ${keys.filter((key) => key).length}`);
      return table.getAll(keys);
    },
    transact(...write) {
      requests.push('write');
      return writes.transact(...write);
    },
  };
  return { requests, table: counted };
};

test('an event changes the wallet, and its entry and its guard say so', async () => {
  const organization = await withStars(40, 25);
  const event = spend(organization, 50, { reason: 'Enriched' });
  const { balance, refusal } = await apply(event);
  expect(refusal).toBeUndefined();
  expect(z.safeParse(balanceSchema, balance).error).toBeUndefined();
  expect(balance).toMatchObject({ monthly_stars: 0, pack_stars: 15, total_stars: 15 });
  expect(await walletOf(organization)).toMatchObject({ version: 2, pack_stars: 15 });
  const entries = await historyOf(organization);
  expectSoundLedger(entries);
  expect(entries.at(-1)).toEqual({
    version: 2,
    at: balance.as_of,
    type: 'stars.spent',
    event_id: event.event_id,
    refunds: null,
    reason: 'Enriched',
    monthly_lapsed: 0,
    pack_lapsed: 0,
    monthly_change: -40,
    pack_change: -10,
    held_change: 0,
    monthly_after: 0,
    pack_after: 15,
    held_after: 0,
    lost: [],
  });
  const { body } = await run(getBalance, { headers: organization.headers() });
  expect({ ...body, as_of: balance.as_of }).toEqual(balance);
});

test('a wallet that can’t be is not told, and changes nothing', async () => {
  const organization = await withStars(40, 25);
  const wallet = await walletOf(organization);
  expect((await run(getBalance, { headers: organization.headers() })).status).toBe(200);
  await table.transact([
    { Put: { Item: { ...wallet, ...walletKey(organization.id), pack_stars: -1 } } },
  ]);
  expect((await run(getBalance, { headers: organization.headers() })).status).toBe(500);
  expect(await failure(apply(spend(organization, 1)))).toBeDefined();
  expect((await walletOf(organization))?.version).toBe(1);
});

test('an entry is never written over', async () => {
  const organization = await withStars(0, 25);
  const item = await table.get(ledgerEntryKey(organization.id, 1));
  const behind = { ...(await walletOf(organization)), version: 0 };
  await table.transact([{ Put: { Item: behind } }]);
  expect(await failure(apply(spend(organization, 1)))).toBeDefined();
  expect(await table.get(ledgerEntryKey(organization.id, 1))).toEqual(item);
  expect(Object.keys(toLedgerEntry(item!))[0]).toBe('version');
});

describe('a repeat', () => {
  test('changes nothing and answers as the first did, also when no star is left', async () => {
    const organization = await withStars(0, 10);
    const event = spend(organization, 10);
    const first = await apply(event);
    expect(await apply(event)).toEqual(first);
    expect(await apply({ ...event })).toEqual(first);
    expect((await historyOf(organization)).length).toBe(2);
  });

  test('is answered from its guard, and writes nothing', async () => {
    const organization = await withStars(0, 10);
    const event = spend(organization, 1);
    const { requests, table: counted } = counting();
    await applyEvent(counted, event);
    await applyEvent(counted, event);
    expect(requests).toEqual(['read 2', 'write', 'read 2']);
  });

  test('is the same event in any order of its fields', async () => {
    const organization = await withStars(0, 10);
    const event = spend(organization, 1, { reason: 'r' });
    const first = await apply(event);
    const turned = Object.fromEntries(Object.entries(event).reverse()) as typeof event;
    expect(await apply(turned)).toEqual(first);
  });

  test('with anything else in it is refused, and names the field', async () => {
    const organization = await withStars(0, 10);
    const event = spend(organization, 1, { reason: 'r' });
    await apply(event);
    for (const change of [{ stars: 2 }, { reason: 'other' }]) {
      expect(await failure(apply({ ...event, ...change } as typeof event))).toEqual({
        code: 'event_id_reused',
        details: [{ path: 'event_id', message: expect.stringMatching(/./) }],
      });
    }
    expect((await walletOf(organization))?.pack_stars).toBe(9);
  });
});

describe('what can’t be applied', () => {
  test('for want of stars is told with the wallet as it is, and stores nothing', async () => {
    const organization = await withStars(2, 3);
    const event = spend(organization, 6);
    const { refusal, balance } = await apply(event);
    expect([refusal, balance.total_stars]).toEqual(['insufficient_stars', 5]);
    expect((await historyOf(organization)).length).toBe(1);
    await apply(eventOf(organization, { type: 'pack.purchased', stars: 1 }));
    expect((await apply(event)).refusal).toBeUndefined();
  });

  test('for an unknown organization is an error that names it', async () => {
    const nobody = { id: randomUUID() } as Organization;
    expect(await failure(apply(spend(nobody, 1)))).toEqual({
      code: 'invalid_request',
      details: [{ path: 'organization_id', message: 'is not an organization' }],
    });
  });

  test('because the table is out of reach is not tried again here', async () => {
    const organization = await withStars(0, 10);
    const { requests, table: halfAway } = counting(openTable());
    await withTableAt('http://127.0.0.1:1', async () => {
      const work = applyEvent(halfAway, spend(organization, 1));
      expect(await failure(work)).toMatchObject({ code: 'unavailable' });
    });
    expect(requests).toEqual(['read 2', 'write']);
  });

  test.each(Object.entries(refusals))('%s is an error that names its field', (refusal, told) => {
    expect(toRefusalError(refusal as keyof typeof refusals)).toMatchObject({
      code: 'code' in told ? told.code : 'invalid_request',
      details: [{ path: told.path, message: told.message }],
    });
  });
});

describe('a grant that the event does not tell', () => {
  const plan = { name: 'P', price_cents: 1, currency: 'BRL', monthly_grant_stars: 70 };

  test('is the plan’s of its tier', async () => {
    const tier = randomUUID();
    await putPlan({ tier, ...plan }, contextFor(11_000));
    for (const type of ['subscription.started', 'subscription.changed']) {
      const organization = await withStars(0, 0);
      const end = type.endsWith('started') && { current_period_end: '2099-01-01T00:00:00Z' };
      const told = { type, tier, ...end };
      const withGrant = eventOf(organization, { ...told, monthly_grant_stars: 170 });
      expect((await apply(withGrant)).balance.monthly_grant_stars).toBe(170);
      const other = await withStars(0, 0);
      const { refusal } = await apply(eventOf(other, { ...told, tier: randomUUID() }));
      expect(refusal).toBe('unknown_plan');
      const { balance } = await apply(eventOf(other, told));
      expect(balance.subscription?.tier).toBe(tier);
      // A change keeps the period's grant of 100, and gives the plan's at the renewal.
      const period = type.endsWith('started') ? 70 : 100;
      expect(balance.monthly_grant_stars).toBe(period);
    }
  });
});

test('a plan is read only for a grant that the event does not tell', async () => {
  const organization = await withStars(0, 0);
  const change = { type: 'subscription.changed', tier: 'none' };
  const { requests, table: counted } = counting();
  const told = eventOf(organization, { ...change, monthly_grant_stars: 1 });
  await applyEvent(counted, told);
  expect(requests).toEqual(['read 2', 'write']);
  await applyEvent(counted, eventOf(organization, change));
  expect(requests.slice(2)).toEqual(['read 3', 'read 1']);
});

describe('spendStars', () => {
  const invoke = (input: object) => spendStars(input, contextFor(11_000));

  test('tells whether the stars were there', async () => {
    const organization = await withStars(0, 3);
    const input = { organization_id: organization.id, event_id: randomUUID(), stars: 3 };
    const spent = await invoke(input);
    expect(spent).toMatchObject({ spent: true, balance: { total_stars: 0 } });
    const more = { ...input, event_id: randomUUID() };
    expect(await invoke(more)).toMatchObject({ spent: false, balance: { total_stars: 0 } });
    expect(await invoke(input)).toEqual(spent);
  });
});

test('a balance without a subscription has none', async () => {
  const organization = await Organization.make({ wallet: { pack_stars: 7 } });
  const { body } = await run(getBalance, { headers: organization.headers() });
  expect(body).toEqual({
    monthly_stars: 0,
    pack_stars: 7,
    total_stars: 7,
    held_stars: 0,
    available_stars: 7,
    next_expiry: null,
    monthly_grant_stars: 0,
    subscription: null,
    as_of: expect.any(String),
  });
  const started = eventOf(organization, {
    type: 'subscription.started',
    tier: 'pro',
    current_period_end: inAnHour(),
    monthly_grant_stars: 1,
  });
  expect((await apply(started)).balance.subscription).toMatchObject({ tier: 'pro' });
});
