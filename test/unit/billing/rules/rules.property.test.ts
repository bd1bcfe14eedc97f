import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Balance } from '../../../../lib/billing/stored/balance.ts';
import { expectSoundLedger } from '../../../support/billing.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { step, thresholds, World } from '../world.ts';
import { now as start } from './wallets.ts';

// Whatever happens to a wallet: world.ts. A run is repeated with its SEED.

test(`whatever happens, the ledger explains every balance, and no star is spent twice or too late (SEED=${seed})`, async () => {
  // That it was about something.
  const counts = { alerts: 0, past: 0 } as Record<string, number>;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 90 }), async (steps) => {
      const world = new World();
      const answers: Balance[] = [];
      let at = start;
      for (const { later, ...one } of steps) {
        at += later;
        if (one.fields.type === 'read') {
          answers.push(await world.balance(at));
          at++;
        } else world.do(one, at);
      }
      expectSoundLedger(world.entries);
      expectAlerts(world);
      for (const answer of answers) {
        expect(await world.balance(at + 1, Date.parse(answer.as_of))).toEqual(answer);
      }
      const { seen } = world;
      for (const [what, count] of Object.entries({
        ...seen,
        alerts: world.alerts.length,
        past: answers.length,
      }))
        counts[what] = (counts[what] ?? 0) + count;
    }),
    { seed, numRuns: times(200, 500) },
  );
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(times(1, 10));
});

/** Each alert once for each time that the available stars fell to it. */
const expectAlerts = ({ entries, alerts }: World): void => {
  const available = entries.map((one) => one.monthly_after + one.pack_after - one.held_after);
  for (const threshold of [...thresholds, 0]) {
    let above = false;
    const expected = available.flatMap((left, i) => {
      const fell = above && left <= threshold;
      above = left > threshold;
      return fell ? [i + 1] : [];
    });
    const told = alerts.filter((one) => one.threshold === threshold);
    expect(told.map(({ version }) => version)).toEqual(expected);
  }
};
