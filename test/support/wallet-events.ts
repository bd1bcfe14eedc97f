import { chance, pick, type Random } from './random.ts';

/** What events are by chance about: when months and packs end, and which spend is refunded or purchase reversed. */
interface Choices {
  /** How long a month that is paid has to go. */
  monthMs: () => number;
  packEnd: () => string;
  refunds: () => string;
  /** The purchase that is reversed. */
  purchase: () => string;
  /** The paid event of a subscription that is reversed. */
  paid: () => string;
}

const iso = (time: number): string => new Date(time).toISOString();

/** Events of every kind, by chance, but for spends and without ids: those of two subscriptions come in any order. */
export const walletEvents = (
  next: Random,
  stars: () => number,
  { monthMs, packEnd, refunds, purchase, paid }: Choices,
) => {
  const ofSubscription = () => ({
    ...(chance(next, 0.7) && { subscription_id: pick(next, ['sub-a', 'sub-b']) }),
    ...(chance(next, 0.5) && { occurred_at: iso(Date.now() - Math.floor(5000 * next())) }),
  });
  const ofReversal = () => ({
    source: pick(next, ['refund', 'dispute']),
    claw_back: chance(next, 0.5),
    ...(chance(next, 0.8) && { occurred_at: iso(Date.now() - Math.floor(5000 * next())) }),
  });
  const tier = () => pick(next, ['basic', 'pro']);
  const line = (lengthMs: number, monthly_grant_stars: number) => {
    const from = Date.now() - Math.floor(1000 * next());
    return {
      from: iso(from),
      until: iso(from + 1000 + lengthMs),
      monthly_grant_stars,
      tier: tier(),
    };
  };
  return {
    purchased: () => ({
      type: 'pack.purchased',
      stars: 3 * stars(),
      ...(chance(next, 0.6) && { expires_at: packEnd() }),
    }),
    reversed: () => ({
      type: 'pack.reversed',
      purchase: purchase(),
      ...ofReversal(),
      ...(chance(next, 0.8) && { stars: Math.floor(40 * next()) }),
    }),
    paidBack: () => ({
      type: 'subscription.reversed',
      paid: paid(),
      ...ofReversal(),
      ...(chance(next, 0.8) && { amount: Math.floor(900 * next()) }),
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
    paidLines: () => ({
      type: 'subscription.paid',
      lines: [line(monthMs(), 60), ...(chance(next, 0.2) ? [line(monthMs(), 30)] : [])],
      amount: 900,
      ...ofSubscription(),
    }),
    /** An upgrade, or a downgrade, of what runs. */
    prorated: () => ({
      type: 'subscription.paid',
      lines: [{ ...line(monthMs(), pick(next, [-20, 40])), proration: true }],
      ...ofSubscription(),
    }),
    /** Told by the plan, if there is one. Else it is refused. */
    paidPeriod: () => ({
      type: 'subscription.paid',
      tier: tier(),
      period_end: iso(Date.now() + monthMs()),
      ...ofSubscription(),
    }),
    changed: () => ({
      type: 'subscription.changed',
      status: pick(next, ['active', 'past_due', 'paused']),
      ...ofSubscription(),
    }),
    canceled: () => ({ type: 'subscription.canceled', ...ofSubscription() }),
  };
};
