import { invalid } from '../errors/errors.ts';
import type { Meaning, StripeEvent } from './event.ts';
import { readPurchase } from './purchases.ts';
import { readDispute, readRefund } from './reversals.ts';
import { readInvoice, readSubscription } from './subscriptions.ts';

/** What each type of event says. Types that are not here say nothing to a wallet. */
const readers: Record<string, (event: StripeEvent) => Meaning | undefined> = {
  'checkout.session.completed': readPurchase,
  'checkout.session.async_payment_succeeded': readPurchase,
  'refund.created': readRefund,
  'refund.updated': readRefund,
  'refund.failed': readRefund,
  'charge.refund.updated': readRefund,
  'charge.dispute.funds_withdrawn': readDispute,
  'charge.dispute.funds_reinstated': readDispute,
  'invoice.paid': readInvoice,
  'customer.subscription.created': readSubscription,
  'customer.subscription.updated': readSubscription,
  'customer.subscription.paused': readSubscription,
  'customer.subscription.resumed': readSubscription,
  'customer.subscription.deleted': readSubscription,
};

/** The types of Stripe's events that say something to a wallet. */
export const stripeEventTypes = Object.keys(readers);

/**
 * What an event means; undefined if nothing. Throws `invalid_request` for an event that is ours, and lacks something, or is
 * a sale of a connected account: whoever has such an account writes its metadata, and gets its money. Pure.
 */
export const readEvent = (event: StripeEvent): Meaning | undefined => {
  const meaning = readers[event.type]?.(event);
  if (!meaning || !event.account) return meaning;
  if ('payment' in meaning) return undefined;
  throw invalid('account', 'is a connected account, whose sales give no stars');
};
