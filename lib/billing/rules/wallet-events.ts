import * as z from 'zod/mini';
import { invalid } from '../../errors/errors.ts';
import { dateTime, hasFourDigitYear, uuid } from '../../schema/fields.ts';
import { balance } from '../stored/balance.ts';
import { eventId, reason, status, subscriptionId, tier } from '../terms/fields.ts';
import { purposeInput } from '../terms/purpose.ts';
import { anyStars, someStars, starsChange } from '../terms/stars.ts';

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

/** What an event says, by its type. */
const fields = {
  'subscription.started': {
    ...ofSubscription,
    tier: tier(),
    current_period_end: end(),
    monthly_grant_stars: z.optional(anyStars()),
    status: z._default(status(), 'active'),
  },
  'subscription.renewed': {
    ...ofSubscription,
    current_period_end: end(),
    monthly_grant_stars: z.optional(anyStars()),
  },
  'subscription.changed': {
    ...ofSubscription,
    tier: tier(),
    monthly_grant_stars: z.optional(anyStars()),
  },
  'subscription.canceled': ofSubscription,
  'pack.purchased': { stars: someStars(), expires_at: z.optional(end()) },
  'stars.spent': { stars: someStars(), ...purposeInput },
  'stars.refunded': { stars: someStars(), refunds: eventId(), reason: z.optional(reason()) },
  'stars.adjusted': {
    monthly_change: z._default(starsChange(), 0),
    pack_change: z._default(starsChange(), 0),
    reason: reason(),
  },
};
type Fields = typeof fields;

const ofItself = 'must be another event than the refund';
const refundsAnother = z.refine<{ refunds?: string; event_id: string }>(
  ({ refunds, event_id }) => refunds !== event_id,
  { path: ['refunds'], error: ofItself },
);

/** What any event says, with these fields besides. */
const ofAnyType = <C extends z.core.$ZodLooseShape>(more: C) => {
  const of = <T extends keyof Fields>(type: T) =>
    z.strictObject({ type: z.literal(type), ...more, ...fields[type] });
  return z.discriminatedUnion('type', [
    of('subscription.started'),
    of('subscription.renewed'),
    of('subscription.changed'),
    of('subscription.canceled'),
    of('pack.purchased'),
    of('stars.spent'),
    of('stars.refunded'),
    of('stars.adjusted'),
  ]);
};

/** Adjustments, which alone have these fields, change something. */
const changesStars = z.refine<{ type: string; monthly_change?: number; pack_change?: number }>(
  ({ monthly_change, pack_change }) => monthly_change !== 0 || pack_change !== 0,
  { path: ['pack_change'], error: 'or monthly_change must be other than 0' },
);

/** Everything that can happen to a wallet, by its type. */
export const walletEvent = ofAnyType(common).check(changesStars, refundsAnother);
export type WalletEvent = z.output<typeof walletEvent>;
export type WalletEventType = WalletEvent['type'];
export type WalletEventOf<T extends WalletEventType> = Extract<WalletEvent, { type: T }>;

/** The body of `PUT /billing/events/{event_id}`. */
export const walletEventInput = ofAnyType({}).check(
  changesStars,
  z.meta({ id: 'WalletEventInput' }),
);

export const walletEventTypes = Object.keys(fields) as WalletEventType[];

/** What `PUT /billing/events/{event_id}` answers: the event's type, and the balance after it. */
export const appliedEvent = z
  .strictObject({ event_id: eventId(), type: z.enum(walletEventTypes), balance })
  .check(z.meta({ id: 'AppliedEvent' }));

/** The whole event. Throws `invalid_request` for a refund of itself. */
export const toWalletEvent = (
  organization_id: string,
  event_id: string,
  input: z.output<typeof walletEventInput>,
): WalletEvent => {
  if (input.type === 'stars.refunded' && input.refunds === event_id) {
    throw invalid('refunds', ofItself);
  }
  return { ...input, organization_id, event_id };
};
