import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import {
  balanceOf,
  capture,
  expectSoundLedger,
  historyOf,
  hold,
  openingWallet,
  release,
} from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

test('what a job cost is spent of what was held for it, and everyone reads so', async () => {
  const organization = await provision(openingWallet(40, 25));
  expect((await hold(organization, 'job', 50)).status).toBe(201);
  expect(await balanceOf(organization)).toMatchObject({ held_stars: 50, available_stars: 15 });
  const more = await capture(organization, 'job', 51);
  expect([more.status, more.body.error.details[0].path]).toEqual([400, 'stars']);
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
