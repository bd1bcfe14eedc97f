import * as z from 'zod/mini';
import { stripePrefix } from '../billing/terms/fields.ts';
import { invalid } from '../errors/errors.ts';
import {
  type Meaning,
  type Metadata,
  metadata,
  missing,
  momentOf,
  objectOf,
  reference,
  type StripeEvent,
  seconds,
  toIso,
} from './event.ts';

/** A price that stands whole in an event, not by its id alone. */
const price = z.union([z.string(), z.object({ metadata: metadata() })]);

const ofSubscription = z.object({
  metadata: metadata(),
  subscription: z.optional(z.nullable(reference())),
});

const ofItem = z.optional(z.nullable(z.object({ proration: z.optional(z.boolean()) })));

// API versions since 2025-03-31 say in `parent` and `pricing` what those before say in the object itself.
const line = z.object({
  period: z.object({ end: seconds() }),
  type: z.optional(z.string()),
  proration: z.optional(z.boolean()),
  price: z.optional(z.nullable(price)),
  parent: z.optional(
    z.nullable(
      z.object({
        type: z.string(),
        subscription_item_details: ofItem,
        invoice_item_details: ofItem,
      }),
    ),
  ),
  pricing: z.optional(
    z.nullable(
      z.object({ price_details: z.optional(z.nullable(z.object({ price: z.optional(price) }))) }),
    ),
  ),
});
type Line = z.output<typeof line>;

const invoice = z.object({
  id: z.string(),
  billing_reason: z.optional(z.nullable(z.string())),
  subscription: z.optional(z.nullable(reference())),
  subscription_details: z.optional(z.nullable(ofSubscription)),
  parent: z.optional(
    z.nullable(z.object({ subscription_details: z.optional(z.nullable(ofSubscription)) })),
  ),
  lines: z.object({ data: z.array(line) }),
});

const subscription = z.object({
  id: z.string(),
  status: z.string(),
  metadata: metadata(),
  items: z.object({ data: z.array(z.object({ price: z.optional(z.nullable(price)) })) }),
});

const types: Record<string, string> = {
  subscription_create: 'subscription.started',
  quote_accept: 'subscription.started',
  subscription_cycle: 'subscription.renewed',
  // An update may begin a period at once, as from a month to a year. Else all of its lines are prorations.
  subscription_update: 'subscription.renewed',
};

/**
 * A period that was paid: the first, or the next one. Undefined for an invoice of anything else. Throws `invalid_request` if
 * metadata of ours is there in part; of a first period, if it tells no tier.
 */
export const readInvoice = (event: StripeEvent): Meaning | undefined => {
  const { id, billing_reason, parent, lines, ...rest } = objectOf(invoice, event);
  const type = types[billing_reason ?? ''];
  const details = parent?.subscription_details ?? rest.subscription_details;
  const subscription_id = details?.subscription ?? rest.subscription;
  if (!type || !subscription_id) return undefined;
  if (billing_reason === 'subscription_update' && lines.data.every(isProration)) return undefined;
  const prices = lines.data.map((one) => one.pricing?.price_details?.price ?? one.price);
  const own = ownOf(details?.metadata, prices);
  if (!own) return undefined;
  const isStart = type === 'subscription.started';
  if (isStart && !own.tier) throw missing('tier');
  return {
    message: {
      type,
      organization_id: own.organization_id,
      event_id: `${stripePrefix}${id}`,
      subscription_id,
      ...(isStart && { tier: own.tier }),
      current_period_end: toIso(momentOf(endOf(lines.data))),
      occurred_at: toIso(momentOf(event.created)),
    },
  };
};

/** The end of the period that was paid, in seconds. A proration is of the period before, as it was changed. */
const endOf = (lines: readonly Line[]): number => {
  const whole = lines.filter((one) => !isProration(one));
  const ofPeriod = whole.filter(
    ({ type, parent }) => type === 'subscription' || parent?.type === 'subscription_item_details',
  );
  const ends = (ofPeriod.length > 0 ? ofPeriod : whole).map(({ period }) => period.end);
  if (ends.length === 0) throw invalid('lines', 'have no period of the subscription');
  return Math.max(...ends);
};

const isProration = ({ proration, parent }: Line): boolean =>
  proration ??
  parent?.subscription_item_details?.proration ??
  parent?.invoice_item_details?.proration ??
  false;

/** Statuses of one second, the first to the last. Those that no period was paid in never started anything. */
const ranks = ['trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled'];
const neverStarted = ['incomplete', 'incomplete_expired'];

/**
 * What a subscription is by now: its tier and status, or that it has ended. Undefined for one that is not ours, or has never
 * started. Throws `invalid_request` if metadata of ours is there in part.
 */
export const readSubscription = (event: StripeEvent): Meaning | undefined => {
  const { id, items, ...rest } = objectOf(subscription, event);
  const prices = items.data.map((item) => item.price);
  const own = ownOf(rest.metadata, prices);
  if (!own || neverStarted.includes(rest.status)) return undefined;
  const status = event.type === 'customer.subscription.deleted' ? 'canceled' : rest.status;
  const isEnd = status === 'canceled';
  const rank = ranks.includes(status) ? ranks.indexOf(status) : ranks.indexOf('active');
  const occurredAt = momentOf(event.created, rank + 1);
  return {
    message: {
      type: isEnd ? 'subscription.canceled' : 'subscription.changed',
      organization_id: own.organization_id,
      event_id: `${stripePrefix}${event.id}`,
      subscription_id: id,
      ...(!isEnd && { status }),
      ...(!isEnd && own.tier && { tier: own.tier }),
      occurred_at: toIso(occurredAt),
    },
    subscription: { id, occurredAt },
  };
};

type Price = z.output<typeof price> | null | undefined;

/**
 * Whose a subscription is, and its tier; undefined if it is not ours. The portal changes prices, and leaves the subscription's
 * metadata as it was: so that of a price wins.
 */
const ownOf = (of: Metadata, prices: readonly Price[]) => {
  const [tier = of?.tier] = prices.flatMap((one) =>
    one && typeof one !== 'string' ? one.metadata?.tier || [] : [],
  );
  const organization_id = of?.organization_id;
  if (!organization_id && !tier) return undefined;
  if (!organization_id) throw missing('organization_id');
  return { organization_id, tier };
};
