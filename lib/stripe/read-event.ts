import type { StripeEvent, WholeMeaning } from './event.ts';
import { type InvoicePayment, readInvoicePayment } from './invoices/invoice-payments.ts';
import { type Invoice, readInvoice } from './invoices/invoices.ts';
import { readPurchase } from './purchases.ts';
import { type OfPayment, readDispute, readRefund } from './reversals.ts';
import { readSubscription, type SubscriptionStatus } from './subscriptions.ts';

/** What an event says, as far as the event alone tells it. */
export type Meaning =
  | WholeMeaning
  /** What was paid: its prices say what that gives. */
  | { invoice: Invoice }
  /** What a subscription is by now: that means something once it was paid. */
  | { status: SubscriptionStatus }
  /** What was refunded, or is in dispute: its payment says what it had bought. */
  | OfPayment
  /** By which payment an invoice was paid. */
  | { invoicePayment: InvoicePayment };

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
  'invoice_payment.paid': readInvoicePayment,
  'customer.subscription.created': readSubscription,
  'customer.subscription.updated': readSubscription,
  'customer.subscription.paused': readSubscription,
  'customer.subscription.resumed': readSubscription,
  'customer.subscription.deleted': readSubscription,
};

/** The types of Stripe's events that say something to a wallet. */
export const stripeEventTypes = Object.keys(readers);

/** What an event means; undefined if nothing. Throws `invalid_request` for one that is ours, and lacks something. Pure. */
export const readEvent = (event: StripeEvent): Meaning | undefined => readers[event.type]?.(event);
