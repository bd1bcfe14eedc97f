import { expect, test } from 'vitest';
import {
  balanceOf,
  capture,
  expectSoundLedger,
  historyOf,
  hold,
  openingWallet,
  putEvent,
  release,
  spend,
} from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';

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
  const again = await release(organization, 'job');
  expect([again.status, again.body.error.code]).toEqual([409, 'already_captured']);
  expect((await capture(organization, 'none')).status).toBe(404);
});

test('every change of a wallet writes off first what has expired', async () => {
  const changes: Record<string, (organization: Organization) => Promise<unknown>> = {
    putHold: (one) => hold(one, 'other', 10),
    updateHold: (one) => one.patch('/billing/holds/long', { expires_in_seconds: 900 }),
    captureHold: (one) => capture(one, 'long', 5),
    releaseHold: (one) => release(one, 'long'),
    putSpend: (one) => spend(one, 6),
    createSpends: (one) =>
      one.post('/billing/spends', { spends: [{ event_id: 'spent', stars: 6 }] }),
    putEvent: (one) => putEvent(one, { type: 'stars.spent', stars: 6 }),
    applyWalletEvents: (one) => deliver([bodyOf(one, { type: 'stars.spent', stars: 6 })]),
  };
  await Promise.all(
    Object.entries(changes).map(async ([name, change]) => {
      const organization = await provision({ wallet: { pack_stars: 15 } });
      await hold(organization, 'long', 5);
      const short = await hold(organization, 'short', 10, { expires_in_seconds: 1 });
      expect(short.body.balance.available_stars).toBe(0);
      const before = await eventually(
        () => balanceOf(organization),
        ({ available_stars }) => available_stars === 10,
      );
      await change(organization);
      const entries = await historyOf(organization);
      expectSoundLedger(entries);
      expect([name, entries.map(({ type }) => type).slice(3, 4)]).toEqual([name, ['hold.expired']]);
      expect(entries.length).toBe(5);
      // What was told of that moment is told of it again.
      const { body } = await organization.get(`/billing/balance?at=${before.as_of}`);
      expect(body).toEqual(before);
    }),
  );
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
