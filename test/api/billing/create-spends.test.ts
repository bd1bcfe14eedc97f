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
  const ids = entries.map(({ event_id }) => event_id);
  expect(ids.slice(1)).toEqual(['single', 'by-bus', 'new', 'last']);
  expect(entries[3]).toMatchObject({ feature: 'f', spender: 's', reason: 'r' });
});

test('the same batch of spends ten times at once is made once', async () => {
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

test('a batch has 1 to 25 spends, and one wrong spend refuses it whole', async () => {
  const organization = await provision(openingWallet(0, 50));
  const [good] = ofOneStar(1);
  for (const [spends, path] of [
    [[], 'spends'],
    [ofOneStar(26), 'spends'],
    [[good!, { ...good, stars: 0 }], 'spends.1.stars'],
    [[good!, { ...good, event_id: '..' }], 'spends.1.event_id'],
  ] as const) {
    const { status, body } = await spendAll(organization, spends);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([
      400,
      'invalid_request',
      path,
    ]);
  }
  expect((await historyOf(organization)).length).toBe(1);
  const { status, body } = await spendAll(organization, ofOneStar(25));
  expect([status, body.items.at(-1).balance.total_stars]).toEqual([200, 25]);
  expect(summarize(await spendAll(organization, [good!]))).toEqual([[good!.event_id, 201, 24]]);
});
