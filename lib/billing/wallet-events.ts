import * as z from 'zod/mini';
import { dateTime, hasFourDigitYear, uuid } from '../schema/fields.ts';
import { eventId, reason, status, subscriptionId, tier } from './fields.ts';
import { purposeInput } from './purpose.ts';
import { anyStars, someStars, starsChange } from './stars.ts';

const common = { event_id: eventId(), organization_id: uuid() };

/** Which subscription an event is about, and when it occurred there: so that a late one is known. */
const ofSubscription = {
  subscription_id: z.optional(subscriptionId()),
  occurred_at: z.optional(dateTime()),
};

/** When stars lapse, which the balance tells. */
const end = () =>
  dateTime().check(
    z.refine((time) => hasFourDigitYear(new Date(time).toISOString()), {
      error: 'must be in the years 0000 to 9999 in UTC',
    }),
  );

const event = <T extends string, S extends z.core.$ZodLooseShape>(type: T, fields: S) =>
  z.strictObject({ type: z.literal(type), ...common, ...fields });

/** Everything that can happen to a wallet, by its type. */
export const walletEvent = z.discriminatedUnion('type', [
  event('subscription.started', {
    ...ofSubscription,
    tier: tier(),
    current_period_end: end(),
    monthly_grant_stars: z.optional(anyStars()),
    status: z._default(status(), 'active'),
  }),
  event('subscription.renewed', {
    ...ofSubscription,
    current_period_end: end(),
    monthly_grant_stars: z.optional(anyStars()),
  }),
  event('subscription.changed', {
    ...ofSubscription,
    tier: tier(),
    monthly_grant_stars: z.optional(anyStars()),
  }),
  event('subscription.canceled', ofSubscription),
  event('pack.purchased', { stars: someStars(), expires_at: z.optional(end()) }),
  event('stars.spent', { stars: someStars(), ...purposeInput }),
  event('stars.refunded', {
    stars: someStars(),
    refunds: eventId(),
    reason: z.optional(reason()),
  }).check(
    z.refine(({ refunds, event_id }) => refunds !== event_id, {
      path: ['refunds'],
      error: 'must be another event than the refund',
    }),
  ),
  event('stars.adjusted', {
    monthly_change: z._default(starsChange(), 0),
    pack_change: z._default(starsChange(), 0),
    reason: reason(),
  }).check(
    z.refine(({ monthly_change, pack_change }) => monthly_change !== 0 || pack_change !== 0, {
      path: ['pack_change'],
      error: 'or monthly_change must be other than 0',
    }),
  ),
]);
export type WalletEvent = z.output<typeof walletEvent>;
export type WalletEventType = WalletEvent['type'];
export type WalletEventOf<T extends WalletEventType> = Extract<WalletEvent, { type: T }>;

export const walletEventTypes = [
  'subscription.started',
  'subscription.renewed',
  'subscription.changed',
  'subscription.canceled',
  'pack.purchased',
  'stars.spent',
  'stars.refunded',
  'stars.adjusted',
] as const satisfies WalletEventType[];
