import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { balanceOf, expectSoundLedger, historyOf, openingWallet } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { invoke, type Organization, provision } from '../../support/organization.ts';

const hold = ({ id }: Organization, hold_id: string, stars: number, expires_in_seconds = 600) =>
  invoke('holdStars', { organization_id: id, hold_id, stars, expires_in_seconds });
const capture = ({ id }: Organization, hold_id: string, stars?: number) =>
  invoke('captureHold', { organization_id: id, hold_id, stars });
const release = ({ id }: Organization, hold_id: string) =>
  invoke('releaseHold', { organization_id: id, hold_id });

test('what a job cost is spent of what was held for it, and everyone reads so', async () => {
  const organization = await provision(openingWallet(40, 25));
  expect((await hold(organization, 'job', 50)).payload).toMatchObject({ held: true });
  expect(await balanceOf(organization)).toMatchObject({ held_stars: 50, available_stars: 15 });
  const { payload } = await capture(organization, 'job', 45);
  expect(payload).toMatchObject({ captured_stars: 45, returned_stars: 5 });
  const { as_of, ...balance } = await balanceOf(organization);
  expect(payload.balance).toMatchObject(balance);
  expect((await historyOf(organization)).map(({ type }) => type)).toEqual([
    'organization.provisioned',
    'stars.held',
    'hold.captured',
  ]);
  const again = await release(organization, 'job');
  expect([again.failed, again.payload.errorType]).toEqual([true, 'already_captured']);
});

test('every change of a wallet writes off first what has expired', async () => {
  const changes: Record<string, (organization: Organization) => Promise<unknown>> = {
    holdStars: (one) => hold(one, 'other', 10),
    captureHold: (one) => capture(one, 'long', 5),
    releaseHold: (one) => release(one, 'long'),
    spendStars: ({ id }) =>
      invoke('spendStars', { organization_id: id, event_id: randomUUID(), stars: 6 }),
    applyWalletEvents: (one) => deliver([bodyOf(one, { type: 'stars.spent', stars: 6 })]),
  };
  await Promise.all(
    Object.entries(changes).map(async ([name, change]) => {
      const organization = await provision({ wallet: { pack_stars: 15 } });
      await hold(organization, 'long', 5);
      const short = await hold(organization, 'short', 10, 1);
      expect(short.payload.balance.available_stars).toBe(0);
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

test('200 holds and captures at once: each star is held once, and spent or returned once', {
  tags: ['long'],
  timeout: 120_000,
}, async () => {
  const organization = await provision(openingWallet(50, 50));
  const held = await Promise.all(
    Array.from({ length: 200 }, (_, i) => hold(organization, `hold-${i}`, 1)),
  );
  const ours = held.flatMap(({ payload }, i) => (payload.held ? [`hold-${i}`] : []));
  expect([held.filter(({ failed }) => failed), ours.length]).toEqual([[], 100]);
  expect(await balanceOf(organization)).toMatchObject({ total_stars: 100, available_stars: 0 });
  // Each is captured and released at once: one of both ends it.
  const ends = await Promise.all(
    ours.flatMap((id) => [capture(organization, id), release(organization, id)]),
  );
  const captured = ends.filter(({ failed }, i) => !failed && i % 2 === 0).length;
  const released = ends.filter(({ failed }, i) => !failed && i % 2 === 1).length;
  expect(captured + released).toBe(100);
  const errors = new Set(
    ends.flatMap(({ failed, payload }) => (failed ? [payload.errorType] : [])),
  );
  expect([...errors].every((code) => /^already_(captured|released)$/.test(code))).toBe(true);
  expect(await balanceOf(organization)).toMatchObject({
    total_stars: 100 - captured,
    held_stars: 0,
    available_stars: 100 - captured,
  });
  expectSoundLedger(await historyOf(organization));
});
