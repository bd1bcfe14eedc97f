import type { StripeEvent, WholeMeaning } from './event.ts';
import { type InvoicePayment, readInvoicePayment } from './invoices/invoice-payments.ts';
import { type Invoice, readInvoice } from './invoices/invoices.ts';
import { readPurchase } from './purchases.ts';
import { type OfPayment, readDispute, readRefund } from './reversals.ts';
import { readSubscription, type SubscriptionStatus } from './subscriptions.ts';

/** The meaning of an event, as far as the event alone tells it. */
export type Meaning =
  | WholeMeaning
  /** An invoice that was paid: its prices say what it gives. */
  | { invoice: Invoice }
  /** The status of a subscription, which means something once the subscription was paid. */
  | { status: SubscriptionStatus }
  /** A refund or a dispute: its payment says what it had bought. */
  | OfPayment
  /** The payment by which an invoice was paid. */
  | { invoicePayment: InvoicePayment };

/** The reader of each type of event. Types that are not here say nothing to a wallet. */
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
  'invoice_payment.paid': readInvoicePayment,
  'customer.subscription.created': readSubscription,
  'customer.subscription.updated': readSubscription,
  'customer.subscription.paused': readSubscription,
  'customer.subscription.resumed': readSubscription,
  'customer.subscription.deleted': readSubscription,
};

/** The types of Stripe's events that say something to a wallet. */
export const stripeEventTypes = Object.keys(readers);

/**
 * The meaning of an event; undefined if it has none. Throws `invalid_request` for an event that is ours, and lacks
 * something. Pure.
 */
export const readEvent = (event: StripeEvent): Meaning | undefined => readers[event.type]?.(event);
