import * as z from 'zod/mini';
import { toBalance } from '../../lib/billing/balance.ts';
import type { Part } from '../../lib/billing/compartments.ts';
import { apply, type Cause } from '../../lib/billing/rules.ts';
import { emptyWallet, type Wallet } from '../../lib/billing/wallet.ts';
import { walletEvent } from '../../lib/billing/wallet-events.ts';

// What happens to a wallet in 40 days, told by the rules themselves: so the picture shows what is so.

export const days = 40;
const day = 24 * 60 * 60 * 1000;
const start = Date.parse('2026-11-01T00:00:00Z');
const iso = (on: number) => new Date(start + on * day).toISOString();

const event = (fields: object): Cause =>
  z.parse(walletEvent, {
    event_id: 'e',
    organization_id: '0cb252aa-aeea-5e6d-91d6-71543bd1ece2',
    ...fields,
  });
const spend = (stars: number) => event({ type: 'stars.spent', stars });
const hold = { event_id: 'h', expires_at: start + 19 * day };

/** What happens, on which day, and how the picture names it. */
export const story: { on: number; name: string; cause?: Cause }[] = [
  {
    on: 0,
    name: 'period starts: +100',
    cause: event({
      type: 'subscription.started',
      tier: 'pro',
      monthly_grant_stars: 100,
      current_period_end: iso(30),
    }),
  },
  {
    on: 2,
    name: 'pack until day 24: +50',
    cause: event({ type: 'pack.purchased', stars: 50, expires_at: iso(24) }),
  },
  { on: 4, name: 'pack that stays: +40', cause: event({ type: 'pack.purchased', stars: 40 }) },
  { on: 8, name: 'spend 50', cause: spend(50) },
  { on: 12, name: 'hold 60', cause: { type: 'stars.held', stars: 60, ...hold } },
  { on: 16, name: 'capture 30 of 60', cause: { type: 'hold.captured', event_id: 'h', stars: 30 } },
  { on: 20, name: 'spend 5', cause: spend(5) },
  { on: 24, name: 'pack expires' },
  { on: 27, name: 'spend 5', cause: spend(5) },
  {
    on: 30,
    name: 'renewal: +100',
    cause: event({ type: 'subscription.renewed', current_period_end: iso(60) }),
  },
  { on: 35, name: 'spend 60', cause: spend(60) },
];

/** The stars of a moment, by what becomes of them. */
export interface Stars {
  on: number;
  staying: number;
  expiring: number;
  monthly: number;
  held: number;
}

/** The stars after each thing that happens, and just before it. */
export const starsByDay = (): Stars[] => {
  let wallet: Wallet = emptyWallet;
  let parts: readonly Part[] = [];
  const moments: Stars[] = [];
  for (const { on, name, cause } of story) {
    const now = start + on * day;
    if (on > 0) moments.push(starsOf(wallet, on, now - 1));
    if (cause) {
      const about = { hold: { expires_at: hold.expires_at, parts } };
      const applied = apply(wallet, cause, now, about);
      if (typeof applied === 'string') throw new Error(`${name}: ${applied}`);
      wallet = applied.wallet;
      if (cause.type === 'stars.held') parts = applied.taken;
    }
    moments.push(starsOf(wallet, on, now));
  }
  return [...moments, starsOf(wallet, days, start + days * day)];
};

const starsOf = (wallet: Wallet, on: number, now: number): Stars => {
  const { monthly_stars, pack_stars, held_stars } = toBalance(wallet, now);
  const expiring = wallet.packs
    .filter(({ expires_at }) => expires_at > now)
    .reduce((sum, one) => sum + one.stars - one.held, 0);
  const { held } = wallet;
  return {
    on,
    staying: pack_stars - held.pack - expiring,
    expiring,
    monthly: monthly_stars - held.monthly,
    held: held_stars,
  };
};
