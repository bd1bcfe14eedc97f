import * as z from 'zod/mini';
import type { Cause, RelatedFacts } from '../../../../lib/billing/rules/causes.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/wallet.ts';
import { walletEvent } from '../../../../lib/billing/wallet-events.ts';

// Wallets and causes for tests of the rules. The rules are pure: nothing is stored.

export const now = Date.parse('2026-11-21T00:00:00Z');
/** When the period of `wallet` ends. */
export const end = now + 1000;
export const iso = (at: number) => new Date(at).toISOString();
export const organization_id = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';

/** In a period that runs, with 40 of its 100 stars left, and 25 pack stars. */
export const wallet = (fields: Partial<Wallet> = {}): Wallet => ({
  ...emptyWallet,
  version: 7,
  at: now,
  monthly_stars: 40,
  pack_stars: 25,
  monthly_grant_stars: 100,
  subscription: { tier: 'pro', status: 'active', current_period_end: end },
  ...fields,
});

export const event = (fields: object) =>
  z.parse(walletEvent, { event_id: 'e', organization_id, ...fields });

/** What the cause does. Throws if it is refused. */
export const applyCause = (before: Wallet, cause: Cause, at = now, related: RelatedFacts = {}) => {
  const result = apply(before, cause, at, related);
  if (typeof result === 'string') throw new Error(`refused: ${result}`);
  return result;
};
