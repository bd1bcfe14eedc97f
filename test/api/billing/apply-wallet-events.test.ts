import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, inject, test } from 'vitest';
import type { Balance } from '../../../lib/billing/balance.ts';
import { balanceOf, historyOf, inAnHour, openingWallet } from '../../support/billing.ts';
import { bodyOf, type Detail, deliver, detailOf, putEvents } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';

const service = inject('service');

const balanceWith = (organization: Organization, wanted: Partial<Balance>) =>
  eventually(
    () => balanceOf(organization),
    (balance) =>
      Object.entries(wanted).every(([name, value]) => balance[name as keyof Balance] === value),
  );

const logged = async (pattern: string): Promise<string[]> => {
  const lines = (await readFile(service.logFile, 'utf8')).split('\n');
  return lines.filter((line) => line.includes(pattern));
};

describe('an event on the bus', () => {
  test.each<[Detail, Partial<Balance>]>([
    [
      {
        type: 'subscription.started',
        tier: 'big',
        current_period_end: '2099-01-01T00:00:00Z',
        monthly_grant_stars: 300,
      },
      { monthly_stars: 300, pack_stars: 25, monthly_grant_stars: 300 },
    ],
    [
      { type: 'subscription.renewed', current_period_end: '2099-01-01T01:00:00+01:00' },
      { monthly_stars: 100, pack_stars: 25 },
    ],
    [
      { type: 'subscription.changed', tier: 'big', monthly_grant_stars: 150 },
      { monthly_stars: 90, monthly_grant_stars: 150 },
    ],
    [
      { type: 'pack.purchased', stars: 500, expires_at: '2099-01-01T00:00:00Z' },
      { monthly_stars: 40, pack_stars: 525, available_stars: 565 },
    ],
    [
      { type: 'stars.spent', stars: 60, reason: 'r' },
      { monthly_stars: 0, pack_stars: 5 },
    ],
    [
      { type: 'stars.adjusted', monthly_change: -1, pack_change: 2, reason: 'r' },
      { monthly_stars: 39, pack_stars: 27 },
    ],
  ])('$type shows in the balance', async (detail, wanted) => {
    const organization = await provision(openingWallet(40, 25));
    const { FailedEntryCount } = await putEvents(organization, [detail]);
    expect(FailedEntryCount).toBe(0);
    await balanceWith(organization, wanted);
  });

  test('subscription.canceled shows in the subscription, and takes no star', async () => {
    const organization = await provision(openingWallet(40, 25));
    await putEvents(organization, [{ type: 'subscription.canceled' }]);
    const canceled = await eventually(
      () => balanceOf(organization),
      ({ subscription }) => subscription?.status === 'canceled',
    );
    expect(canceled).toMatchObject({ monthly_stars: 40, pack_stars: 25 });
  });

  test('stars.refunded gives back what a spend took, in the compartments that it took it from', async () => {
    const organization = await provision(openingWallet(40, 25));
    const spend = { type: 'stars.spent', stars: 60, event_id: 'spend' };
    await putEvents(organization, [spend]);
    await balanceWith(organization, { total_stars: 5 });
    const refund = { type: 'stars.refunded', stars: 30, refunds: 'spend', event_id: 'refund' };
    await putEvents(organization, [refund]);
    await balanceWith(organization, { monthly_stars: 10, pack_stars: 25 });
    expect((await historyOf(organization)).at(-1)).toMatchObject({ refunds: 'spend', lost: [] });
  });

  test('sent three times is applied once', async () => {
    const organization = await provision();
    const purchase = { type: 'pack.purchased', event_id: randomUUID(), stars: 5 };
    for (let i = 0; i < 3; i++) await putEvents(organization, [purchase]);
    await putEvents(organization, [{ type: 'pack.purchased', stars: 100 }]);
    await balanceWith(organization, { pack_stars: 105 });
    expect(await deliver([bodyOf(organization, purchase)])).toEqual([]);
    expect((await balanceOf(organization)).pack_stars).toBe(105);
    expect((await historyOf(organization)).length).toBe(2);
  });

  test('of another source or type goes nowhere, and of another bus is refused', async () => {
    const organization = await provision();
    const purchase = { type: 'pack.purchased', stars: 5 };
    expect((await putEvents(organization, [purchase], { Source: 'shop' })).FailedEntryCount).toBe(
      0,
    );
    await putEvents(organization, [purchase], { DetailType: 'pack.viewed' });
    const elsewhere = await putEvents(organization, [purchase], { EventBusName: 'other' });
    expect(elsewhere.FailedEntryCount).toBe(1);
    await putEvents(organization, [{ type: 'pack.purchased', stars: 70 }]);
    await balanceWith(organization, { pack_stars: 70 });
  });

  test('that is no JSON object is refused by the bus, and the others of its request are not', async () => {
    const organization = await provision();
    const purchase = { type: 'pack.purchased', stars: 5 };
    const output = await putEvents(organization, [purchase], { Detail: '[1]' });
    expect(output.Entries?.[0]?.ErrorCode).toBe('MalformedDetail');
    await expect(putEvents(organization, [])).rejects.toThrow(/1 to 10 entries/);
  });
});

describe('a message that can’t be applied', () => {
  test('is tried again and again, logged each time, and blocks no other', async () => {
    const organization = await provision();
    const event_id = randomUUID();
    await putEvents(organization, [
      { type: 'stars.spent', stars: 1_000, event_id },
      { type: 'pack.purchased', stars: 5 },
    ]);
    await balanceWith(organization, { pack_stars: 5 });
    await eventually(
      () =>
        logged(event_id).then((lines) => lines.filter((line) => line.includes('are more than'))),
      (lines) => lines.length > 4,
    );
    expect((await balanceOf(organization)).pack_stars).toBe(5);
  });

  const purchase = { type: 'pack.purchased', stars: 5 };
  const body =
    (change: object, detail: Detail = purchase) =>
    (organization: Organization) =>
      JSON.stringify({ ...JSON.parse(bodyOf(organization, detail)), ...change });

  test.each<[string, (organization: Organization) => string]>([
    ['no JSON', () => '{'],
    ['no envelope', (organization) => JSON.stringify(detailOf(organization, purchase))],
    ['an unknown type', body({ 'detail-type': 'pack.stolen' })],
    ['no detail', body({ detail: null })],
    ['an unknown field', body({}, { ...purchase, color: 'red' })],
    ['another event’s field', body({}, { ...purchase, tier: 'pro' })],
    ['no star', body({}, { ...purchase, stars: 0 })],
    ['too many stars', body({}, { ...purchase, stars: 1e12 + 1 })],
    ['stars as text', body({}, { ...purchase, stars: '5' })],
    ['no event_id', body({}, { ...purchase, event_id: undefined })],
    ['an unknown organization', body({}, { ...purchase, organization_id: randomUUID() })],
    ['an adjustment of nothing', body({}, { type: 'stars.adjusted', reason: 'r' })],
    ['an adjustment without a reason', body({}, { type: 'stars.adjusted', pack_change: 1 })],
    ['a refund of no spend', body({}, { type: 'stars.refunded', stars: 1, refunds: 'x' })],
    ['a refund that names none', body({}, { type: 'stars.refunded', stars: 1 })],
    [
      'a refund to a compartment',
      body({}, { type: 'stars.refunded', stars: 1, compartment: 'pack' }),
    ],
    [
      'a tier without a plan or a grant',
      body(
        {},
        { type: 'subscription.started', tier: 'unheard of', current_period_end: inAnHour() },
      ),
    ],
    ['a date that is none', body({}, { type: 'subscription.renewed', current_period_end: '2026' })],
  ])('%s fails, and what is beside it does not', async (_name, malformed) => {
    const organization = await provision();
    const bodies = [malformed(organization), bodyOf(organization, purchase)];
    expect(await deliver(bodies)).toEqual([0]);
    expect((await balanceOf(organization)).pack_stars).toBe(5);
  });

  test('a refund of what is no spend fails', async () => {
    const organization = await provision();
    const one = { ...purchase, event_id: randomUUID() };
    const batch = [one, { type: 'stars.refunded', stars: 1, refunds: one.event_id }];
    expect(await deliver(batch.map((detail) => bodyOf(organization, detail)))).toEqual([1]);
    expect((await balanceOf(organization)).pack_stars).toBe(5);
  });

  test('the same event_id with something else in it fails', async () => {
    const organization = await provision();
    const one = { ...purchase, event_id: randomUUID() };
    const batch = [one, { ...one, stars: 6 }, one];
    expect(await deliver(batch.map((detail) => bodyOf(organization, detail)))).toEqual([1]);
    expect((await balanceOf(organization)).pack_stars).toBe(5);
  });
});

test('events of one organization in one batch are applied in their order', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const batch: Detail[] = [
    {
      type: 'subscription.started',
      tier: 'a',
      current_period_end: inAnHour(),
      monthly_grant_stars: 1,
    },
    { type: 'subscription.changed', tier: 'b', monthly_grant_stars: 3 },
    { type: 'stars.spent', stars: 3 },
    { type: 'pack.purchased', stars: 2 },
    { type: 'stars.spent', stars: 2 },
  ];
  const bodies = batch.flatMap((detail) => [bodyOf(organization, detail), bodyOf(other, detail)]);
  expect(await deliver(bodies)).toEqual([]);
  for (const one of [organization, other]) {
    const entries = await historyOf(one);
    expect(entries.map(({ type }) => type)).toEqual(batch.map(({ type }) => type));
    expect(entries.at(-1)).toMatchObject({ monthly_after: 0, pack_after: 0 });
  }
});
