import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { balanceOf, historyOf, inAnHour } from '../../support/billing.ts';
import { bodyOf, type Detail, deliver, detailOf, putEvents } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';

// What each type of event does: put-event.test.ts. What its fields may be: test/unit/billing/rules/wallet-events.test.ts.

const purchase = { type: 'pack.purchased', stars: 5 };

const untilPackStars = (organization: Organization, wanted: number) =>
  eventually(
    () => balanceOf(organization),
    ({ pack_stars }) => pack_stars === wanted,
  );

test('an event that is sent three times is applied once', async () => {
  const organization = await provision();
  const one = { ...purchase, event_id: randomUUID() };
  for (let i = 0; i < 3; i++) {
    expect((await putEvents(organization, [one])).FailedEntryCount).toBe(0);
  }
  await putEvents(organization, [{ ...purchase, stars: 100 }]);
  await untilPackStars(organization, 105);
  expect(await deliver([bodyOf(organization, one)])).toEqual([]);
  expect((await balanceOf(organization)).pack_stars).toBe(105);
  expect((await historyOf(organization)).length).toBe(2);
});

test('an event of another source or type is not applied, and heard', async () => {
  const organization = await provision();
  const [source, type] = [randomUUID(), randomUUID()];
  await putEvents(organization, [{ ...purchase, event_id: source }], { Source: 'biling' });
  await putEvents(organization, [{ ...purchase, event_id: type }], { DetailType: 'pack.viewed' });
  await putEvents(organization, [{ ...purchase, stars: 70 }]);
  await untilPackStars(organization, 70);
  const refused = (id: string) => (line: string) =>
    line.includes(id) && line.includes('"code":"invalid_request"');
  await eventually(
    async () => (await readFile(inject('service').logFile, 'utf8')).split('\n'),
    (lines) => [source, type].every((id) => lines.some(refused(id))),
  );
});

test('a message that can’t be applied is tried again and again, logged each time, and blocks no other', async () => {
  const organization = await provision();
  const event_id = randomUUID();
  const spend = { type: 'stars.spent', stars: 1_000, event_id };
  await putEvents(organization, [spend, purchase]);
  await untilPackStars(organization, 5);
  await eventually(
    async () => (await readFile(inject('service').logFile, 'utf8')).split('\n'),
    (lines) =>
      lines.filter((line) => line.includes(event_id) && line.includes('are more than')).length > 4,
  );
  expect((await balanceOf(organization)).pack_stars).toBe(5);
});

const body =
  (change: object, detail: Detail = purchase) =>
  (organization: Organization) =>
    JSON.stringify({ ...JSON.parse(bodyOf(organization, detail)), ...change });
const line = (monthly_grant_stars: number, tier: string) => ({
  from: new Date().toISOString(),
  until: inAnHour(),
  monthly_grant_stars,
  tier,
});
const paid = { type: 'subscription.paid', period_end: inAnHour() };

test.each<[string, (organization: Organization) => string]>([
  ['no envelope', (organization) => JSON.stringify(detailOf(organization, purchase))],
  ['an unknown type', body({ 'detail-type': 'pack.stolen' })],
  ['no detail', body({ detail: null })],
  ['an unknown organization', body({}, { ...purchase, organization_id: randomUUID() })],
  ['a refund of no spend', body({}, { type: 'stars.refunded', stars: 1, refunds: 'x' })],
  ['a tier without a plan', body({}, { ...paid, tier: 'unheard of' })],
])('a message with %s fails, and what is beside it does not', async (_name, malformed) => {
  const organization = await provision();
  const bodies = [malformed(organization), bodyOf(organization, purchase)];
  expect(await deliver(bodies)).toEqual([0]);
  expect((await balanceOf(organization)).pack_stars).toBe(5);
});

test('events of one organization in one batch are applied in their order', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const batch: Detail[] = [
    { type: 'subscription.paid', lines: [line(1, 'a')] },
    { type: 'subscription.paid', lines: [{ ...line(2, 'b'), proration: true }] },
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
