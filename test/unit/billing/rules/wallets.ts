import * as z from 'zod/mini';
import type { Cause, RelatedFacts } from '../../../../lib/billing/rules/causes.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { walletEvent } from '../../../../lib/billing/rules/wallet-events.ts';
import type { Lot } from '../../../../lib/billing/stored/lots.ts';
import type { Plan } from '../../../../lib/billing/stored/plan.ts';
import {
  emptySubscription,
  emptyWallet,
  type Wallet,
} from '../../../../lib/billing/stored/wallet.ts';

// Wallets and causes for tests of the rules. The rules are pure: nothing is stored.

export const now = Date.parse('2026-11-21T00:00:00Z');
/** When the month of `wallet` ends. */
export const end = now + 1000;
const month = { from: end - 31 * 86_400_000, until: end, whole_from: end - 31 * 86_400_000 };
/** When packs of `withPacks` expire. */
export const [soon, later] = [now + 500, now + 2000];
export const iso = (at: number) => new Date(at).toISOString();
export const organization_id = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';

export const plan: Plan = {
  tier: 'pro',
  name: 'Pro',
  monthly_grant_stars: 100,
  price_cents: 900,
  currency: 'USD',
  stripe_prices: [],
  trial_stars: 0,
};

/** In a month that runs, with 40 of its 100 stars left, and 25 pack stars. */
export const wallet = (fields: Partial<Wallet> = {}): Wallet => ({
  ...emptyWallet,
  version: 7,
  at: now,
  monthly_stars: 40,
  pack_stars: 25,
  monthly_grant_stars: 100,
  months: 1,
  month,
  monthly_lapse_at: end,
  subscription: {
    ...emptySubscription,
    tier: 'pro',
    current_period_end: end,
    lines: [{ from: month.from, until: end, monthly_grant_stars: 100, tier: 'pro' }],
  },
  ...fields,
});

/** With 40 monthly stars, 10 that expire soon, 20 later and 30 that stay. */
export const withPacks = (fields: Partial<Wallet> = {}): Wallet =>
  wallet({
    pack_stars: 60,
    packs: [
      { expires_at: soon, stars: 10, held: 0 },
      { expires_at: later, stars: 20, held: 0 },
    ],
    ...fields,
  });

export const event = (fields: object) =>
  z.parse(walletEvent, { event_id: 'e', organization_id, ...fields });

/** What is paid for a month that begins now. It cuts the other one a second short, which was worth a star. */
export const nextMonth = event({
  type: 'subscription.paid',
  lines: [
    { from: iso(now), until: iso(end), monthly_grant_stars: -100, proration: true },
    { from: iso(now), until: '2026-12-21T00:00:00Z', monthly_grant_stars: 100, tier: 'pro' },
  ],
});

export const spend = (stars: number) => event({ type: 'stars.spent', stars });
export const purchase = (stars: number, expires_at?: number) =>
  event({ type: 'pack.purchased', stars, ...(expires_at && { expires_at: iso(expires_at) }) });
export const adjust = (fields: object) => event({ type: 'stars.adjusted', reason: 'r', ...fields });
export const refund = (stars: number) => event({ type: 'stars.refunded', stars, refunds: 's' });
export const hold = (stars: number, expires_at = now + 100_000): Cause => ({
  type: 'stars.held',
  event_id: 'h',
  stars,
  expires_in_seconds: (expires_at - now) / 1000,
});
export const capture = (stars?: number): Cause => ({
  type: 'hold.captured',
  event_id: 'h',
  stars,
});
export const extend: Cause = { type: 'hold.extended', event_id: 'h', expires_in_seconds: 60 };
export const release: Cause = { type: 'hold.released', event_id: 'h' };

/** What the cause does. Throws if it is refused. */
export const applyCause = (before: Wallet, cause: Cause, at = now, related: RelatedFacts = {}) => {
  const result = apply(before, cause, at, related);
  if (typeof result === 'string') throw new Error(`refused: ${result}`);
  return result;
};

/** A hold of so many stars, and the wallet that has it. */
export const held = (stars: number, before = withPacks(), expires_at = now + 100_000) => {
  const { wallet: after, takenLots: lots } = applyCause(before, hold(stars, expires_at));
  return { wallet: after, hold: { hold_id: 'h', at: now, expires_at, lots } };
};

export const monthly = (stars: number): Lot => ({
  compartment: 'monthly',
  month: 1,
  expires_at: end,
  stars,
});
export const pack = (stars: number, expires_at?: number): Lot => ({
  compartment: 'pack',
  stars,
  ...(expires_at && { expires_at }),
});
