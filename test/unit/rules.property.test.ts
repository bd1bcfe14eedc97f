import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { LedgerEntry } from '../../lib/billing/ledger.ts';
import { apply } from '../../lib/billing/rules.ts';
import { toBalance, type Wallet } from '../../lib/billing/wallet.ts';
import { walletEvent } from '../../lib/billing/wallet-events.ts';
import { expectSoundLedger } from '../support/billing.ts';

// Whatever happens to a wallet, in any order and repeatedly. A run is repeated with its SEED.

const now = Date.parse('2026-11-21T00:00:00Z');
const none: Wallet = { version: 0, monthly_stars: 0, pack_stars: 0, monthly_grant_stars: 0 };
const organization_id = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';
const iso = (at: number) => new Date(at).toISOString();
const plan = { tier: 'pro', name: 'Pro', price_cents: 1, currency: 'USD', monthly_grant_stars: 50 };

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.info(`SEED=${seed}`);

const stars = fc.integer({ min: 1, max: 60 });
const change = fc.integer({ min: -40, max: 40 });
const grant = fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined });
const tier = fc.constantFrom('pro', 'none');
const current_period_end = fc.integer({ min: -20, max: 120 }).map((t) => iso(now + t));
const of = <T extends object>(type: string, fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record({ type: fc.constant(type), ...fields });
const step = fc.record({
  id: fc.integer({ min: 0, max: 60 }),
  later: fc.integer({ min: 0, max: 4 }),
  fields: fc.oneof(
    of('subscription.started', { tier, current_period_end, monthly_grant_stars: grant }),
    of('subscription.renewed', { current_period_end, monthly_grant_stars: grant }),
    of('subscription.changed', { tier, monthly_grant_stars: grant }),
    of('subscription.canceled', {}),
    of('pack.purchased', { stars }),
    { weight: 3, arbitrary: of('stars.spent', { stars }) },
    of('stars.refunded', { stars, compartment: fc.constantFrom('monthly', 'pack') }),
    of('stars.adjusted', {
      monthly_change: change,
      pack_change: change.filter((n) => n !== 0),
      reason: fc.constant('r'),
    }),
  ),
});

test('the ledger explains the balance, and no lapsed star is spent', () => {
  // That it was about something: spends of monthly stars, and lapsed ones written off.
  let [spends, lapses] = [0, 0];
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      let [current, at, periodEnd] = [none, now, 0];
      const entries: LedgerEntry[] = [];
      for (const { id, later, fields } of steps) {
        at += later;
        // As the guard does it.
        if (entries.some(({ event_id }) => event_id === `e${id}`)) continue;
        const one = z.parse(walletEvent, { ...fields, organization_id, event_id: `e${id}` });
        const before = entries.at(-1) ?? { monthly_after: 0, pack_after: 0 };
        const counts = at < periodEnd ? before.monthly_after : 0;
        const isPro = 'tier' in one && one.tier === 'pro';
        const wasCanceled = current.subscription?.status === 'canceled';
        const result = apply(current, one, at, isPro ? plan : undefined);
        if (typeof result === 'string') {
          if (one.type === 'stars.spent')
            expect(one.stars).toBeGreaterThan(counts + before.pack_after);
          continue;
        }
        if (one.type === 'stars.spent') {
          if (result.entry.monthly_change < 0) spends++;
          expect(result.entry.monthly_change).toBe(0 - Math.min(one.stars, counts));
          expect(0 - result.entry.monthly_change - result.entry.pack_change).toBe(one.stars);
        }
        if ('current_period_end' in one) {
          const anew = one.type === 'subscription.started' && wasCanceled;
          periodEnd = anew ? one.current_period_end : Math.max(periodEnd, one.current_period_end);
        }
        if (result.entry.monthly_lapsed > 0) lapses++;
        current = result.wallet;
        entries.push(result.entry);
        expectSoundLedger(entries);
        const { monthly_stars, pack_stars } = toBalance(current, at);
        expect(monthly_stars).toBe(at < periodEnd ? result.entry.monthly_after : 0);
        expect(pack_stars).toBe(result.entry.pack_after);
      }
    }),
    { seed, numRuns: 300 },
  );
  expect(Math.min(spends, lapses)).toBeGreaterThan(50);
});
