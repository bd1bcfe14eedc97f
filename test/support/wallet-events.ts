import { chance, pick, type Random } from './random.ts';

/** What events are by chance about: when periods and packs end, and which spend is refunded or purchase reversed. */
interface Choices {
  /** Of a period that is started, or that a renewal begins. */
  periodEnd: (type: 'start' | 'renewal') => string;
  packEnd: () => string;
  refunds: () => string;
  /** The purchase that is reversed. */
  purchase: () => string;
}

const iso = (time: number): string => new Date(time).toISOString();

/** Events of every kind, by chance, but for spends and without ids: those of two subscriptions come in any order. */
export const walletEvents = (
  next: Random,
  stars: () => number,
  { periodEnd, packEnd, refunds, purchase }: Choices,
) => {
  const ofSubscription = () => ({
    ...(chance(next, 0.7) && { subscription_id: pick(next, ['sub-a', 'sub-b']) }),
    ...(chance(next, 0.5) && { occurred_at: iso(Date.now() - Math.floor(5000 * next())) }),
  });
  const tier = () => pick(next, ['basic', 'pro']);
  return {
    purchased: () => ({
      type: 'pack.purchased',
      stars: 3 * stars(),
      ...(chance(next, 0.6) && { expires_at: packEnd() }),
    }),
    reversed: () => ({
      type: 'pack.reversed',
      purchase: purchase(),
      source: pick(next, ['refund', 'dispute']),
      claw_back: chance(next, 0.5),
      ...(chance(next, 0.8) && { stars: Math.floor(40 * next()) }),
      ...(chance(next, 0.8) && { occurred_at: iso(Date.now() - Math.floor(5000 * next())) }),
    }),
    refunded: () => ({
      type: 'stars.refunded',
      stars: Math.ceil(5 * next()),
      refunds: refunds(),
    }),
    adjusted: () => ({
      type: 'stars.adjusted',
      monthly_change: pick(next, [-5, 0, 5]),
      pack_change: pick(next, [-5, 7]),
      owed_change: pick(next, [0, 0, -3]),
      reason: 'By chance',
    }),
    started: () => ({
      type: 'subscription.started',
      tier: tier(),
      current_period_end: periodEnd('start'),
      // Without a grant or a plan it is refused.
      ...(chance(next, 0.8) && { monthly_grant_stars: 60 }),
      ...ofSubscription(),
    }),
    renewed: () => ({
      type: 'subscription.renewed',
      current_period_end: periodEnd('renewal'),
      ...ofSubscription(),
    }),
    changed: () => ({
      type: 'subscription.changed',
      tier: tier(),
      monthly_grant_stars: pick(next, [10, 90]),
      ...ofSubscription(),
    }),
    canceled: () => ({ type: 'subscription.canceled', ...ofSubscription() }),
  };
};
