import * as z from 'zod/mini';
import { invalid } from '../../errors/errors.ts';
import { dateTime, hasFourDigitYear, uuid } from '../../schema/fields.ts';
import { balance } from '../stored/balance.ts';
import {
  eventId,
  paymentId,
  planTier,
  reason,
  status,
  subscriptionId,
  tier,
} from '../terms/fields.ts';
import { purposeInput } from '../terms/purpose.ts';
import { longestLineDays, mostLines } from '../terms/refusals.ts';
import { amount, anyStars, someStars, starsChange, starsForgiven } from '../terms/stars.ts';

const common = { event_id: eventId(), organization_id: uuid() };

/** Which subscription an event is about, and when it occurred there, by which a late event is known. */
const ofSubscription = {
  subscription_id: z.optional(subscriptionId()),
  occurred_at: z.optional(dateTime()),
};

const ofPayment = {
  payment: z
    .optional(paymentId())
    .check(z.describe('Billing’s own id of the payment. Only one event can have it.')),
  amount: z.optional(amount()).check(z.describe('What was paid, in the smallest unit.')),
};

/** A refund or dispute of what was paid. */
const ofReversal = {
  source: z.optional(eventId()).check(z.describe('The refund or dispute; by default, this event.')),
  amount: z
    .optional(amount())
    .check(z.describe('What of the money this source reverses by now: 0 if it failed.')),
  claw_back: z
    ._default(z.boolean(), false)
    .check(z.describe('Whether also what was spent, or has lapsed, is taken back.')),
  occurred_at: z.optional(dateTime()),
};

/** When stars lapse, which the balance tells. */
const end = () =>
  dateTime().check(
    z.refine((time) => hasFourDigitYear(new Date(time).toISOString()), {
      error: 'must be in the years 0000 to 9999 in UTC',
    }),
  );

/** Seats, or other units of a plan. */
const mostQuantity = 1_000_000;
/** A week. */
export const mostGraceMinutes = 10_080;

const flag = () => z.optional(z.boolean());

/** A paid line: stars for each month, from a time until a later time. */
const paidLine = z
  .strictObject({
    from: dateTime(),
    until: end(),
    monthly_grant_stars: starsChange().check(
      z.describe('Stars a month; below 0 for what was credited.'),
    ),
    tier: z.optional(tier()).check(z.describe('The plan. Required above 0.')),
    proration: flag().check(z.describe('Changes months that other lines have.')),
    part: flag().check(z.describe('The end of the month, or months, that end with it.')),
    trial: flag().check(z.describe('One month, however long, with all of the stars.')),
  })
  .check(
    z.refine(({ from, until }) => from < until, { path: ['until'], error: 'must be after from' }),
    z.refine(({ from, until }) => until - from <= longestLineDays * 86_400_000, {
      path: ['until'],
      error: `must be at most ${longestLineDays} days after from`,
    }),
    z.refine((line) => line.monthly_grant_stars <= 0 || line.tier !== undefined, {
      path: ['tier'],
      error: 'is required above 0 stars',
    }),
    z.refine((line) => !line.trial || (line.monthly_grant_stars >= 0 && !line.proration), {
      path: ['trial'],
      error: 'must not be a proration, nor below 0 stars',
    }),
    z.meta({ id: 'PaidLine' }),
  );

/** The fields of an event, by its type. */
const fields = {
  'subscription.paid': {
    ...ofSubscription,
    lines: z
      .optional(z.array(paidLine).check(z.minLength(1), z.maxLength(mostLines)))
      .check(z.describe('What was paid, and credited. Instead of `tier` and `period_end`.')),
    tier: z
      .optional(planTier())
      .check(z.describe('A plan, whose stars were paid for a period, `quantity` times.')),
    period_end: z.optional(end()),
    period_start: z
      .optional(dateTime())
      .check(z.describe('By default, the end of what was paid before, or now.')),
    quantity: z.optional(z.int().check(z.gte(1), z.lte(mostQuantity))),
    grace_minutes: z
      .optional(z.int().check(z.nonnegative(), z.lte(mostGraceMinutes)))
      .check(
        z.describe('How long stars of the last month that is paid stay after it. At first 0.'),
      ),
    ...ofPayment,
  },
  'subscription.changed': { ...ofSubscription, status: status() },
  'subscription.canceled': ofSubscription,
  'subscription.reversed': {
    paid: eventId().check(z.describe('The `event_id` of the `subscription.paid`.')),
    ...ofReversal,
  },
  'pack.purchased': {
    stars: someStars(),
    expires_at: z.optional(end()),
    ...ofPayment,
  },
  'pack.reversed': {
    purchase: eventId().check(z.describe('The `event_id` of the purchase.')),
    stars: z
      .optional(anyStars())
      .check(z.describe('How many this source reverses by now: 0 if it failed. By default, all.')),
    ...ofReversal,
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
const targets = ['refunds', 'purchase', 'paid'] as const;
type Targets = { [T in (typeof targets)[number]]?: string };
const ofItself = 'must be another event than this one';
const namesAnother = targets.map((target) =>
  z.refine<Targets & { event_id: string }>((event) => event[target] !== event.event_id, {
    path: [target],
    error: ofItself,
  }),
);

/** The schemas of events of each type, with these fields added. */
const ofAnyType = <C extends z.core.$ZodLooseShape>(more: C) => {
  const of = <T extends keyof FieldsByType>(type: T) =>
    z.strictObject({ type: z.literal(type), ...more, ...fields[type] });
  return z.discriminatedUnion('type', [
    of('subscription.paid'),
    of('subscription.changed'),
    of('subscription.canceled'),
    of('subscription.reversed'),
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

/** Checks that lines, or a plan and the end of its period, tell what was paid. */
const tellsWhatWasPaid = z.refine<{
  type: string;
  lines?: unknown;
  tier?: unknown;
  period_end?: unknown;
  period_start?: unknown;
  quantity?: unknown;
}>(
  ({ type, lines, tier, period_end, period_start, quantity }) => {
    if (type !== 'subscription.paid') return true;
    const ofPeriod = [tier, period_end, period_start, quantity];
    if (lines !== undefined) return ofPeriod.every((one) => one === undefined);
    return tier !== undefined && period_end !== undefined;
  },
  { path: ['lines'], error: 'must be told, or else tier and period_end' },
);

/** Checks that a source tells in stars or in money what it reverses. */
const tellsStarsOrAmount = z.refine<{ type: string; stars?: unknown; amount?: unknown }>(
  ({ type, stars, amount }) =>
    type !== 'pack.reversed' || stars === undefined || amount === undefined,
  { path: ['amount'], error: 'must not be told beside stars' },
);

/** Everything that can happen to a wallet, by its type. */
export const walletEvent = ofAnyType(common).check(
  changesStars,
  tellsWhatWasPaid,
  tellsStarsOrAmount,
  ...namesAnother,
);
export type WalletEvent = z.output<typeof walletEvent>;
export type WalletEventType = WalletEvent['type'];
export type WalletEventOf<T extends WalletEventType> = Extract<WalletEvent, { type: T }>;

/** The body of `PUT /billing/events/{event_id}`. */
export const walletEventInput = ofAnyType({}).check(
  changesStars,
  tellsWhatWasPaid,
  tellsStarsOrAmount,
  z.meta({ id: 'WalletEventInput' }),
);

export const walletEventTypes = Object.keys(fields) as WalletEventType[];

/** The answer of `PUT /billing/events/{event_id}`: the event's type, and the balance after it. */
export const appliedEvent = z
  .strictObject({ event_id: eventId(), type: z.enum(walletEventTypes), balance })
  .check(z.meta({ id: 'AppliedEvent' }));

/** The whole event. Throws `invalid_request` for an event whose target is itself. */
export const toWalletEvent = (
  organization_id: string,
  event_id: string,
  input: z.output<typeof walletEventInput>,
): WalletEvent => {
  const itself = targets.find((target) => (input as Targets)[target] === event_id);
  if (itself) throw invalid(itself, ofItself);
  return { ...input, organization_id, event_id };
};
