import { expect, test } from 'vitest';
import {
  balanceOf,
  capture,
  expectSoundLedger,
  historyOf,
  hold,
  putEvent,
  release,
  spend,
} from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';

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
