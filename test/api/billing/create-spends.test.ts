import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Answer } from '../../support/api.ts';
import {
  balanceOf,
  expectSoundLedger,
  historyOf,
  openingWallet,
  spend,
} from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { type Organization, provision } from '../../support/organization.ts';

const spendAll = (organization: Organization, spends: readonly object[]): Promise<Answer> =>
  organization.post('/billing/spends', { spends });

const ofOneStar = (count: number) =>
  Array.from({ length: count }, () => ({ event_id: randomUUID(), stars: 1 }));

interface Item {
  event_id: string;
  status: number;
  balance?: { total_stars: number };
  error?: { code: string };
}

/** Of each spend: its id, its status, and the stars after it or why it was refused. */
const summarize = ({ body }: Answer) =>
  body.items.map(({ event_id, status, balance, error }: Item) => [
    event_id,
    status,
    balance?.total_stars ?? error?.code,
  ]);

test('new spends, repeats, reused ids and spends of too many stars get an outcome each', async () => {
  const organization = await provision(openingWallet(4, 6));
  const { body: first } = await spend(organization, 2, { event_id: 'single', feature: 'f' });
  const bus = { event_id: 'by-bus', stars: 1, spender: 's' };
  expect(await deliver([bodyOf(organization, { type: 'stars.spent', ...bus })])).toEqual([]);

  const answer = await spendAll(organization, [
    { event_id: 'new', stars: 3, feature: 'f', spender: 's', reason: 'r' },
    { event_id: 'single', stars: 2, feature: 'f' },
    { event_id: 'single', stars: 2 },
    bus,
    { event_id: 'too-many', stars: 5 },
    { event_id: 'late', stars: 1, not_after: '2026-01-01T00:00:00Z' },
    { event_id: 'last', stars: 4, not_after: '2099-01-01T00:00:00Z' },
    { event_id: 'new', stars: 3, feature: 'f', spender: 's', reason: 'r' },
  ]);
  expect([answer.status, summarize(answer)]).toEqual([
    200,
    [
      ['new', 201, 4],
      ['single', 200, 8],
      ['single', 409, 'event_id_reused'],
      ['by-bus', 200, 7],
      ['too-many', 402, 'insufficient_stars'],
      ['late', 409, 'too_late'],
      ['last', 201, 0],
      ['new', 200, 4],
    ],
  ]);
  expect(answer.body.items[1].balance).toEqual(first.balance);
  expect(answer.body.items[4].error.details).toEqual([
    { path: 'stars', message: expect.any(String), available_stars: 4 },
  ]);

  const entries = await historyOf(organization);
  expectSoundLedger(entries);
  expect(entries.map(({ event_id }) => event_id).slice(1)).toEqual([
    'single',
    'by-bus',
    'new',
    'last',
  ]);
  expect(entries[3]).toMatchObject({ feature: 'f', spender: 's', reason: 'r' });
});

test('a repeat of a batch gets its first answers, and what was refused is decided anew', async () => {
  const organization = await provision(openingWallet(0, 5));
  const spends = [
    { event_id: 'made', stars: 4 },
    { event_id: 'refused', stars: 2 },
  ];
  const first = await spendAll(organization, spends);
  expect(first.body.items.map(({ status }: Item) => status)).toEqual([201, 402]);
  const purchase = bodyOf(organization, { type: 'pack.purchased', stars: 10 });
  expect(await deliver([purchase])).toEqual([]);

  const again = await spendAll(organization, spends);
  expect(summarize(again)).toEqual([
    ['made', 200, 1],
    ['refused', 201, 9],
  ]);
  expect(again.body.items[0].balance).toEqual(first.body.items[0].balance);
  // A spend of a batch is a spend as any other.
  expect((await spend(organization, 2, { event_id: 'refused' })).status).toBe(200);
  expect((await organization.get('/billing/spends/made')).body).toMatchObject({ stars: 4 });
});

test('the same batch ten times at once is made once', async () => {
  const organization = await provision(openingWallet(0, 30));
  const spends = ofOneStar(10);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => spendAll(organization, spends)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const statuses = answers.flatMap(({ body }) => body.items.map(({ status }: Item) => status));
  expect(statuses.toSorted()).toEqual([...Array(90).fill(200), ...Array(10).fill(201)]);
  expect((await balanceOf(organization)).total_stars).toBe(20);
  expectSoundLedger(await historyOf(organization));
});

test('a batch has 1 to 25 spends', async () => {
  const organization = await provision(openingWallet(0, 50));
  for (const count of [0, 26]) {
    const { status, body } = await spendAll(organization, ofOneStar(count));
    expect([status, body.error.code, body.error.details[0].path]).toEqual([
      400,
      'invalid_request',
      'spends',
    ]);
  }
  expect((await balanceOf(organization)).total_stars).toBe(50);
  const { status, body } = await spendAll(organization, ofOneStar(25));
  expect([status, body.items.at(-1).balance.total_stars]).toEqual([200, 25]);
  expect((await spendAll(organization, ofOneStar(1))).status).toBe(200);
});

test('one wrong spend refuses the whole batch, and says which it is', async () => {
  const organization = await provision(openingWallet(0, 10));
  const [good] = ofOneStar(1);
  for (const [wrong, path] of [
    [{ ...good, stars: 0 }, 'spends.1.stars'],
    [{ ...good, event_id: '..' }, 'spends.1.event_id'],
    [{ ...good, color: 'red' }, 'spends.1.color'],
  ] as const) {
    const { status, body } = await spendAll(organization, [good!, wrong]);
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  }
  expect((await historyOf(organization)).length).toBe(1);
  expect(summarize(await spendAll(organization, [good!]))).toEqual([[good!.event_id, 201, 9]]);
});

test('who may not spend may not spend in a batch', async () => {
  const organization = await provision(openingWallet(0, 10));
  const send = (role: 'meter' | 'support') =>
    organization.post('/billing/spends', { spends: ofOneStar(1) }, { role });
  expect((await send('support')).status).toBe(403);
  expect((await send('meter')).status).toBe(200);
});
