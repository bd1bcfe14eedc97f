import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { handler as getBalance } from '../../../functions/billing/get-balance.ts';
import { handler as putPlan } from '../../../functions/billing/put-plan.ts';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import { ledgerEntryKey } from '../../../lib/table/keys.ts';
import { expectSoundLedger } from '../../support/billing.ts';
import { type Organization, platformHeaders, run } from '../support.ts';
import {
  apply,
  eventOf,
  failure,
  historyOf,
  spend,
  table,
  walletOf,
  watchedTable,
  withStars,
} from './in-process-wallet.ts';

test('an event changes the wallet, and its entry and its guard say so', async () => {
  const organization = await withStars(40, 25);
  const purpose = { reason: 'Enriched', feature: 'enrich', spender: 'job:1' };
  const event = spend(organization, 50, purpose);
  const { balance, refusal } = await apply(event);
  expect(refusal).toBeUndefined();
  expect(balance).toMatchObject({ monthly_stars: 0, pack_stars: 15, total_stars: 15 });
  expect(await walletOf(organization)).toMatchObject({ version: 2, pack_stars: 15 });
  const entries = await historyOf(organization);
  expectSoundLedger(entries);
  expect(entries.at(-1)).toMatchObject({
    at: balance.as_of,
    type: 'stars.spent',
    event_id: event.event_id,
    ...purpose,
    monthly_change: -40,
    pack_change: -10,
  });
  const { body } = await run(getBalance, { headers: organization.headers() });
  expect({ ...body, as_of: balance.as_of }).toEqual(balance);
});

test('an entry is never written over', async () => {
  const organization = await withStars(0, 25);
  const item = await table.get(ledgerEntryKey(organization.id, 1));
  const behind = { ...(await walletOf(organization)), version: 0 };
  await table.transact([{ Put: { Item: behind } }]);
  expect(await failure(apply(spend(organization, 1)))).toBeDefined();
  expect(await table.get(ledgerEntryKey(organization.id, 1))).toEqual(item);
});

describe('a repeat', () => {
  test('is answered as the first from its guard, in any order of its fields, when no star is left', async () => {
    const organization = await withStars(0, 10);
    const event = spend(organization, 10, { reason: 'r' });
    const { requests, table: watched } = watchedTable();
    const first = await applyEvent(watched, event);
    const repeat = { ...first, isRepeat: true };
    expect(await applyEvent(watched, event)).toEqual(repeat);
    expect(requests).toEqual([
      ['BatchGet', 2],
      ['TransactWrite', 4],
      ['BatchGet', 2],
    ]);
    const turned = Object.fromEntries(Object.entries(event).reverse()) as typeof event;
    expect(await apply(turned)).toEqual(repeat);
    expect((await historyOf(organization)).length).toBe(2);
  });

  test('with anything else in it is refused, and names the field', async () => {
    const organization = await withStars(0, 10);
    const event = spend(organization, 1, { reason: 'r' });
    await apply(event);
    for (const change of [{ stars: 2 }, { reason: 'other' }, { feature: 'f' }, { spender: 's' }]) {
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
    const { requests, table: halfAway } = watchedTable(({ operation }, pass) => {
      if (operation !== 'TransactWrite') return pass();
      throw new Error('connect ECONNREFUSED');
    });
    const work = applyEvent(halfAway, spend(organization, 1));
    expect(await failure(work)).toMatchObject({ code: 'unavailable' });
    expect(requests.length).toBe(2);
  });
});

describe('a grant that the event does not tell', () => {
  const plan = { name: 'P', price_cents: 1, currency: 'BRL', monthly_grant_stars: 70 };

  // A change keeps the period's grant of 100, and gives the plan's at the renewal.
  test.each([
    ['subscription.started', { current_period_end: '2099-01-01T00:00:00Z' }, 70],
    ['subscription.changed', {}, 100],
  ])('is the plan’s of its tier: %s', async (type, fields, ofPeriod) => {
    const tier = randomUUID();
    const body = JSON.stringify(plan);
    await run(putPlan, { path: { tier }, headers: platformHeaders, body });
    const organization = await withStars(0, 0);
    const told = { type, tier, ...fields };
    const { refusal } = await apply(eventOf(organization, { ...told, tier: randomUUID() }));
    expect(refusal).toBe('unknown_plan');
    const { balance } = await apply(eventOf(organization, told));
    expect([balance.subscription?.tier, balance.monthly_grant_stars]).toEqual([tier, ofPeriod]);
    const withGrant = eventOf(organization, { ...told, monthly_grant_stars: 170 });
    expect((await apply(withGrant)).balance.monthly_grant_stars).toBe(170);
  });

  test('is all that a plan is read for', async () => {
    const organization = await withStars(0, 0);
    const change = { type: 'subscription.changed', tier: 'none' };
    const { requests, table: watched } = watchedTable();
    await applyEvent(watched, eventOf(organization, { ...change, monthly_grant_stars: 1 }));
    await applyEvent(watched, eventOf(organization, change));
    const reads = requests.filter(([operation]) => operation !== 'TransactWrite');
    // What was refused looks for its guard again.
    expect(reads).toEqual([
      ['BatchGet', 2],
      ['BatchGet', 3],
      ['Get', 1],
    ]);
  });
});
