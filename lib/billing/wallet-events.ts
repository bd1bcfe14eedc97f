import * as z from 'zod/mini';
import { uuid } from '../schema/fields.ts';
import { eventId, reason, status, tier } from './fields.ts';
import { anyStars, someStars, starsChange } from './stars.ts';

/** A date and time with its offset; the service keeps milliseconds since the epoch. */
const moment = () => z.pipe(z.iso.datetime({ offset: true }), z.transform(Date.parse));

const common = { event_id: eventId(), organization_id: uuid() };

const event = <T extends string, S extends z.core.$ZodLooseShape>(type: T, fields: S) =>
  z.strictObject({ type: z.literal(type), ...common, ...fields });

/** Everything that can happen to a wallet, by its type. */
export const walletEvent = z.discriminatedUnion('type', [
  event('subscription.started', {
    tier: tier(),
    current_period_end: moment(),
    monthly_grant_stars: z.optional(anyStars()),
    status: z._default(status(), 'active'),
  }),
  event('subscription.renewed', {
    current_period_end: moment(),
    monthly_grant_stars: z.optional(anyStars()),
  }),
  event('subscription.changed', {
    tier: tier(),
    monthly_grant_stars: z.optional(anyStars()),
  }),
  event('subscription.canceled', {}),
  event('pack.purchased', { stars: someStars() }),
  event('stars.spent', { stars: someStars(), reason: z.optional(reason()) }),
  event('stars.refunded', {
    stars: someStars(),
    compartment: z._default(z.enum(['monthly', 'pack']), 'pack'),
    reason: z.optional(reason()),
  }),
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
