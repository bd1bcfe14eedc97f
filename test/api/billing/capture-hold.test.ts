import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import {
  balanceOf,
  capture,
  expectSoundLedger,
  historyOf,
  hold,
  openingWallet,
  putEvent,
  release,
} from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

test('what a job cost is spent of what was held for it, and everyone reads so', async () => {
  const organization = await provision(openingWallet(40, 25));
  expect((await hold(organization, 'job', 50)).status).toBe(201);
  expect(await balanceOf(organization)).toMatchObject({ held_stars: 50, available_stars: 15 });
  const { body } = await capture(organization, 'job', 45);
  expect(body).toMatchObject({ captured_stars: 45, returned_stars: 5 });
  const { as_of, ...balance } = await balanceOf(organization);
  expect(body.balance).toMatchObject(balance);
  expect((await historyOf(organization)).map(({ type }) => type)).toEqual([
    'organization.provisioned',
    'stars.held',
    'hold.captured',
  ]);
  expect(outcome(await capture(organization, 'none'))).toBe('not_found');
});

test('a capture beyond the hold spends free stars, or leaves the hold open, or takes what there is', async () => {
  const organization = await provision(openingWallet(0, 65));
  const end = (id: string, body: object) => organization.post(`/billing/holds/${id}/capture`, body);
  for (const id of ['a', 'b']) await hold(organization, id, 20);
  expect((await end('a', { stars: 30 })).body).toMatchObject({
    captured_stars: 30,
    missing_stars: 0,
    returned_stars: 0,
    balance: { total_stars: 35, held_stars: 20, available_stars: 15 },
  });
  const { status, body } = await end('b', { stars: 36 });
  expect([status, body.error.code]).toEqual([402, 'insufficient_stars']);
  expect(body.error.details).toMatchObject([{ path: 'stars', available_stars: 35 }]);
  expect(await balanceOf(organization)).toMatchObject({ total_stars: 35, held_stars: 20 });
  const first = await end('b', { stars: 36, up_to_available: true });
  expect(first.body).toMatchObject({
    captured_stars: 35,
    missing_stars: 1,
    returned_stars: 0,
    balance: { total_stars: 0 },
  });
  await putEvent(organization, { type: 'pack.purchased', stars: 9 });
  expect((await end('b', { stars: 36, up_to_available: true })).body).toEqual(first.body);
  expect(outcome(await end('b', { stars: 35 }))).toBe('already_captured');
  // A refund gives back first what was beyond the hold, and never more than was spent.
  for (const [stars, expected] of [
    [36, 400],
    [35, 201],
  ]) {
    const refund = { type: 'stars.refunded', refunds: 'b', stars };
    expect((await putEvent(organization, refund)).status).toBe(expected);
  }
  expectSoundLedger(await historyOf(organization));
});

// Many that meet: test/faults/transaction-conflicts.test.ts.
test('of a capture and a release at once, one ends the hold', async () => {
  const organization = await provision(openingWallet(0, 10));
  for (const id of ['a', 'b', 'c']) {
    await hold(organization, id, 1);
    const ends = await Promise.all([capture(organization, id), release(organization, id)]);
    const [refused, ...others] = ends.filter(({ status }) => status !== 200);
    expect([others, refused?.body.error.code]).toEqual([
      [],
      expect.stringMatching(/^already_(captured|released)$/),
    ]);
  }
  expect((await balanceOf(organization)).held_stars).toBe(0);
  expectSoundLedger(await historyOf(organization));
});
