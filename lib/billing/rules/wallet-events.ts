import * as z from 'zod/mini';
import { invalid } from '../../errors/errors.ts';
import { dateTime, hasFourDigitYear, uuid } from '../../schema/fields.ts';
import { balance } from '../stored/balance.ts';
import { eventId, paymentId, reason, status, subscriptionId, tier } from '../terms/fields.ts';
import { purposeInput } from '../terms/purpose.ts';
import { amount, anyStars, someStars, starsChange, starsForgiven } from '../terms/stars.ts';

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
    tier: z.optional(tier()),
    monthly_grant_stars: z.optional(anyStars()),
    status: z.optional(status()),
  },
  'subscription.canceled': ofSubscription,
  'pack.purchased': {
    stars: someStars(),
    expires_at: z.optional(end()),
    payment: z
      .optional(paymentId())
      .check(z.describe('Billing’s own id of the payment. Only one purchase can have it.')),
    amount: z.optional(amount()).check(z.describe('What was paid, in the smallest unit.')),
  },
  'pack.reversed': {
    purchase: eventId().check(z.describe('The `event_id` of the purchase.')),
    source: z
      .optional(eventId())
      .check(z.describe('The refund or dispute; by default, this event.')),
    stars: z
      .optional(anyStars())
      .check(z.describe('How many this source reverses by now: 0 if it failed. By default, all.')),
    claw_back: z
      ._default(z.boolean(), false)
      .check(z.describe('Whether also what was spent, or has lapsed, is taken back.')),
    occurred_at: z.optional(dateTime()),
  },
  'stars.spent': { stars: someStars(), ...purposeInput },
  'stars.refunded': { stars: someStars(), refunds: eventId(), reason: z.optional(reason()) },
  'stars.adjusted': {
    monthly_change: z._default(starsChange(), 0),
    pack_change: z._default(starsChange(), 0),
    owed_change: z
      ._default(starsForgiven(), 0)
      .check(z.describe('Below 0: so many owed stars are forgiven.')),
    reason: reason(),
  },
};
type FieldsByType = typeof fields;

/** The fields that name another event. */
const targets = ['refunds', 'purchase'] as const;
type Targets = { [T in (typeof targets)[number]]?: string };
const ofItself = 'must be another event than this one';
const namesAnother = targets.map((target) =>
  z.refine<Targets & { event_id: string }>((event) => event[target] !== event.event_id, {
    path: [target],
    error: ofItself,
  }),
);

/** What any event says, with these fields besides. */
const ofAnyType = <C extends z.core.$ZodLooseShape>(more: C) => {
  const of = <T extends keyof FieldsByType>(type: T) =>
    z.strictObject({ type: z.literal(type), ...more, ...fields[type] });
  return z.discriminatedUnion('type', [
    of('subscription.started'),
    of('subscription.renewed'),
    of('subscription.changed'),
    of('subscription.canceled'),
    of('pack.purchased'),
    of('pack.reversed'),
    of('stars.spent'),
    of('stars.refunded'),
    of('stars.adjusted'),
  ]);
};

/** Adjustments, which alone have these fields, change something. */
const changesStars = z.refine<{
  type: string;
  monthly_change?: number;
  pack_change?: number;
  owed_change?: number;
}>(
  ({ monthly_change, pack_change, owed_change }) =>
    monthly_change !== 0 || pack_change !== 0 || owed_change !== 0,
  { path: ['pack_change'], error: 'or monthly_change or owed_change must be other than 0' },
);

/** A change of a subscription. Its grant is that of its tier. */
const changesSubscription = z.refine<{
  type: string;
  tier?: string | undefined;
  status?: string | undefined;
  monthly_grant_stars?: number | undefined;
}>(
  ({ type, tier, status, monthly_grant_stars }) =>
    type !== 'subscription.changed' ||
    tier !== undefined ||
    (status !== undefined && monthly_grant_stars === undefined),
  { path: ['tier'], error: 'is required, unless only a status is told' },
);

/** Everything that can happen to a wallet, by its type. */
export const walletEvent = ofAnyType(common).check(
  changesStars,
  changesSubscription,
  ...namesAnother,
);
export type WalletEvent = z.output<typeof walletEvent>;
export type WalletEventType = WalletEvent['type'];
export type WalletEventOf<T extends WalletEventType> = Extract<WalletEvent, { type: T }>;

/** The body of `PUT /billing/events/{event_id}`. */
export const walletEventInput = ofAnyType({}).check(
  changesStars,
  changesSubscription,
  z.meta({ id: 'WalletEventInput' }),
);

export const walletEventTypes = Object.keys(fields) as WalletEventType[];

/** What `PUT /billing/events/{event_id}` answers: the event's type, and the balance after it. */
export const appliedEvent = z
  .strictObject({ event_id: eventId(), type: z.enum(walletEventTypes), balance })
  .check(z.meta({ id: 'AppliedEvent' }));

/** The whole event. Throws `invalid_request` for one that names itself. */
export const toWalletEvent = (
  organization_id: string,
  event_id: string,
  input: z.output<typeof walletEventInput>,
): WalletEvent => {
  const itself = targets.find((target) => (input as Targets)[target] === event_id);
  if (itself) throw invalid(itself, ofItself);
  return { ...input, organization_id, event_id };
};
